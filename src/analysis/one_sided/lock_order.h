/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The order in which epochs held the locks of a window.
 */
#ifndef FERMATA_ANALYSIS_ONE_SIDED_LOCK_ORDER_H
#define FERMATA_ANALYSIS_ONE_SIDED_LOCK_ORDER_H

#include "analysis/one_sided/lock_homes.h"

#include "base/containers/keyed_sort.h"

/** Sorted epochs; {0} has none. The memory is reused for the next list. */
struct fm_lock_order {
    FM_VECTOR(struct fm_keyed) epochs; /**< key: the sorting time; value: position in the list */
    FM_VECTOR(struct fm_keyed) spare;
};

/** Sorts epochs by window; those of one window by their acquisitions if all of these are known,
 * otherwise by the Leave of their releases, the only order that can be observed in MPI programs;
 * simultaneous ones by location and activity of the release. */
void fm_lock_order_find(struct fm_lock_order *order, const struct fm_released_epochs *list);

void fm_lock_order_free(struct fm_lock_order *order);

#endif
