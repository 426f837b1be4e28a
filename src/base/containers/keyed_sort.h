/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Sorting by a number, faster than comparing; faster still if the elements come in a few ascending
 * sequences, as what several locations have sent does. */
#ifndef FERMATA_BASE_CONTAINERS_KEYED_SORT_H
#define FERMATA_BASE_CONTAINERS_KEYED_SORT_H

#include <stddef.h>
#include <stdint.h>

/** An element: `value` identifies the object that the key belongs to. */
struct fm_keyed {
    uint64_t key;
    uint32_t value;
};

/** Sorts by ascending key; those with equal keys keep their order.
 * @param spare  room for as many elements, or NULL: it is allocated if need be */
void fm_keyed_sort(struct fm_keyed *items, size_t count, struct fm_keyed *spare);

/** Sorts records that begin with three uint32_t, by these in turn.
 * @param size  bytes of a record, at least 12 */
void fm_sort_by_three(void *records, size_t count, size_t size);

#endif
