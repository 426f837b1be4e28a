/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * When the locks of a group are waited for.
 */
#ifndef FERMATA_ANALYSIS_LOCKS_LOCK_SPANS_H
#define FERMATA_ANALYSIS_LOCKS_LOCK_SPANS_H

#include "base/containers/vector.h"

#include <stdbool.h>
#include <stdint.h>

/** A wait for a lock. */
struct fm_lock_span {
    uint64_t from, to;
    uint32_t lock; /**< its number in the group */
};

/** Times in which some waits of a lock last, in `spans`: apart, ascending. */
struct fm_spans_of_lock {
    uint32_t first, end;
};

/** {0} has none. The memory is reused for the next group. */
struct fm_lock_spans {
    FM_VECTOR(struct fm_lock_span) waits; /**< in: in any order */
    FM_VECTOR(struct fm_lock_span) spans;
    FM_VECTOR(struct fm_spans_of_lock) of_lock; /**< [number of the lock]; the last one: of all */
};

/** Finds when each of `locks` locks, and when any of them, is waited for, from `waits`, which it
 * sorts. O(n log n) */
void fm_lock_spans_find(struct fm_lock_spans *spans, uint32_t locks);

/** @return whether a lock is waited for at all. @param lock  the number of locks: any of them */
static inline bool fm_lock_spans_any(const struct fm_lock_spans *spans, uint32_t lock)
{
    return spans->of_lock.items[lock].first != spans->of_lock.items[lock].end;
}

/** @return whether it is in a part of [from, to). O(log n) */
bool fm_lock_spans_meet(const struct fm_lock_spans *spans, uint32_t lock, uint64_t from,
                        uint64_t to);

/** Frees the memory. */
void fm_lock_spans_free(struct fm_lock_spans *spans);

#endif
