/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Where a lock of threads is held while others wait for it, and where they wait, as call paths.
 */
#ifndef FERMATA_ANALYSIS_THREADS_LOCK_PLACES_H
#define FERMATA_ANALYSIS_THREADS_LOCK_PLACES_H

#include "analysis/locks/lock_queue.h"
#include "analysis/locks/lock_segments.h"
#include "analysis/threads/thread_holds.h"
#include "base/containers/map.h"

/** From `time` on the queue for the lock is longer by `more`. */
struct fm_lock_queue_step {
    uint64_t time;
    int64_t more;
};

/** Memory for a worker, reused by each call. {0}: none; to be freed with
 * fm_lock_places_scratch_free(). */
struct fm_lock_places_scratch {
    FM_VECTOR(struct fm_segment_hold) holds;
    FM_VECTOR(struct fm_lock_queue_step) steps;
    FM_VECTOR(struct fm_cube_lock_place) found;
    fm_lock_segments segments;
    struct fm_lock_sweep sweep;
    struct fm_map place_of_callpath;
};

/** Finds the places of one lock. The waiting at an instant is booked on the call path of the thread
 * that holds the lock then (of several readers, of the latest one); while none does (the lock has
 * been released, and the next owner does not run yet) on none. So the sum over the places where
 * the lock is held is at most all waiting. Time: O(n log n) for n holds, and the events in them.
 * @param holds  of one lock, in their order, judged; their threads' events are read */
void fm_lock_places_find(struct fm_lock_places_scratch *scratch, const struct fm_trace *trace,
                         const struct fm_thread_hold *holds, size_t count,
                         struct fm_lock_places *places);

void fm_lock_places_scratch_free(struct fm_lock_places_scratch *scratch);

#endif
