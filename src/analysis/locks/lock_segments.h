/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Which of several holds of a lock decides at each instant who is waited for: the latest one in the
 * order of the lock among those that hold it; else the next one, once it has been requested; before
 * that nobody is waited for.
 */
#ifndef FERMATA_ANALYSIS_LOCKS_LOCK_SEGMENTS_H
#define FERMATA_ANALYSIS_LOCKS_LOCK_SEGMENTS_H

#include "base/containers/keyed_sort.h"
#include "base/containers/vector.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A tenure that conflicts with the waits in question. */
struct fm_segment_hold {
    uint64_t acquired, released;
    uint64_t requested;
    uint64_t latest_release;   /**< of this hold and those before */
    uint64_t next_acquisition; /**< the earliest of the holds behind this one */
    uint32_t tenure;
    uint32_t location;
    uint32_t owner;
};

/** A hold decides who is waited for from `from` to the next segment. */
struct fm_lock_segment {
    uint64_t from;
    uint32_t hold;      /**< position; FM_NONE: none is held or follows */
    int32_t more_waits; /**< that see this segment than the one before */
    bool is_free;       /**< nobody has the lock, and the next hold, `hold`, is not requested yet */
};

typedef FM_VECTOR(struct fm_lock_segment) fm_lock_segments;

/** Memory of the sweep over time, reused by each call. All zeros: none. */
struct fm_lock_sweep {
    FM_VECTOR(struct fm_keyed) order;
    FM_VECTOR(uint32_t) heap;
};

/** Finds out which hold decides from `from` to `to`. O(count log count).
 * @param holds     in the order of the lock
 * @param segments  out: ascending; adjacent ones have different holds, or one of them is free; none
 * has more waits */
void fm_lock_segments_find(struct fm_lock_sweep *sweep, const struct fm_segment_hold *holds,
                           size_t count, uint64_t from, uint64_t to, fm_lock_segments *segments);

/** @return the segment at a time, by bisection */
size_t fm_lock_segment_at(const fm_lock_segments *segments, uint64_t time);

/** Frees the memory. */
void fm_lock_sweep_free(struct fm_lock_sweep *sweep);

#endif
