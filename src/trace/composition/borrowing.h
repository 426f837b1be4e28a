/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Samples of other kinds, for stretches of kinds that have too few of their own: first those
 * between the same innermost calls, then those below a function of the same name. Private to
 * src/trace/composition.
 */
#ifndef FERMATA_TRACE_COMPOSITION_BORROWING_H
#define FERMATA_TRACE_COMPOSITION_BORROWING_H

#include "base/containers/map.h"
#include "trace/composition/composition.h"
#include "trace/composition/kinds.h"
#include "trace/composition/nearest.h"
#include "trace/composition/pools.h"

/** Stretches with samples, in groups. */
struct fm_lender_groups {
    struct fm_sized *items;     /**< by group, ticks, stretch */
    struct fm_map first, count; /**< group -> its place in `items` and its size */
};

/** The stretches of a location whose samples others may borrow. */
struct fm_lenders {
    const struct fm_stretches *stretches;
    const struct fm_kinds *kinds;
    const struct fm_location *location;
    struct fm_child_finder nodes;
    FM_VECTOR(uint32_t) own;           /**< stretches with samples, by kind, then by time */
    uint32_t *first_own;               /**< [kind], and behind the last one: its place in `own` */
    struct fm_lender_groups by_calls;  /**< the innermost calls at both ends */
    struct fm_lender_groups by_caller; /**< the region of the common caller */
    FM_VECTOR(uint32_t) path;          /**< memory of a call */
};

/** Collects them. To be freed with fm_lenders_free(). */
struct fm_lenders fm_lenders_of(const struct fm_location *location,
                                const struct fm_stretches *stretches, const struct fm_kinds *kinds,
                                struct fm_child_finder nodes);
void fm_lenders_free(struct fm_lenders *lenders);

/** The composition of a stretch whose kind has fewer than FM_OWN_SAMPLES samples.
 * @param shares  out: parts > 0, their sum is 1; none: there is no sample */
void fm_borrow_shares(struct fm_lenders *lenders, uint32_t stretch, fm_shares *shares);

#endif
