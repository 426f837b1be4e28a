/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Stretches by their distance in length from a given one. Private to src/trace/composition.
 */
#ifndef FERMATA_TRACE_COMPOSITION_NEAREST_H
#define FERMATA_TRACE_COMPOSITION_NEAREST_H

#include <stddef.h>
#include <stdint.h>

/** A stretch and its ticks of computation. */
struct fm_sized {
    uint64_t ticks;
    uint32_t stretch;
};

/** Compares two struct fm_sized for fm_sort(): by ticks, then by stretch. */
int fm_compare_sized(const void *a, const void *b);

/** Visits stretches of a table, which is ascending by ticks, then by stretch: the nearest first, of
 * equally near ones the earliest. */
struct fm_nearest {
    const struct fm_sized *items;
    size_t begin, end; /**< of the table */
    size_t first, next,
        low;        /**< shorter ones: those of the present length, the next of them, end */
    size_t high;    /**< the next longer one */
    uint64_t ticks; /**< of the given one */
};

/** @param low, high  those from `low` to `high` - 1 are not visited; the ones below have fewer
 *                    ticks, those above as many or more */
struct fm_nearest fm_nearest_begin(const struct fm_sized *items, size_t begin, size_t end,
                                   size_t low, size_t high, uint64_t ticks);

/** @return the next stretch; NULL: there is no other */
const struct fm_sized *fm_nearest_next(struct fm_nearest *nearest);

#endif
