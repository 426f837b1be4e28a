/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Where the work of threads comes from: a thread of a team begins at the fork of its master, a
 * POSIX thread at its creation, a stream of an accelerator at its first launch or at the end of
 * what its first work waits for. The critical path continues there. */
#ifndef FERMATA_ANALYSIS_THREADS_THREAD_STARTS_H
#define FERMATA_ANALYSIS_THREADS_THREAD_STARTS_H

#include "analysis/model/run.h"

/** A record of a location about threads. */
struct fm_thread_record_ref {
    uint32_t location;
    uint32_t row;
};

/** Where on a location the critical path is, besides its time: at a call, or at a record of
 * threads.
 */
struct fm_path_position {
    uint32_t activity; /**< FM_NONE: not at a call, or at the end */
    uint32_t row;      /**< FM_NONE: not at a record */
};

/** A thread has begun to work for another one. */
struct fm_thread_start {
    uint64_t time;                  /**< of the fork or creation */
    uint64_t begin;                 /**< of the thread's own record */
    struct fm_path_position origin; /**< the fork or creation */
    uint32_t origin_location;       /**< of the same process */
    uint32_t row;                   /**< of the thread's own record */
    uint32_t first_activity;        /**< of the thread, behind it */
};

/** The starts of all locations that are owned here. */
struct fm_thread_starts;

/** @return no starts, to be freed with fm_thread_starts_free(). */
struct fm_thread_starts *fm_thread_starts_create(uint32_t location_count);

/** NULL is allowed. */
void fm_thread_starts_free(struct fm_thread_starts *starts);

/** Adds a start, in any order; those of distinct locations by distinct workers at the same time. */
void fm_thread_starts_add(struct fm_thread_starts *starts, const struct fm_trace *trace,
                          struct fm_thread_record_ref origin, struct fm_thread_record_ref begin);

/** The same for a thread that begins when a call of another location of its process is entered. */
void fm_thread_starts_add_call(struct fm_thread_starts *starts, const struct fm_trace *trace,
                               struct fm_call_ref origin, struct fm_thread_record_ref begin);

/** The same for a stream without records of threads, whose first event is at `begin`. */
void fm_thread_starts_add_unrecorded(struct fm_thread_starts *starts, const struct fm_trace *trace,
                                     struct fm_call_ref origin, uint32_t stream, uint64_t begin);

/** Sorts the starts of all locations, after all were added. */
void fm_thread_starts_sort(struct fm_thread_starts *starts);

/** @return the latest start of a location in front of a position whose origin is not behind `time`;
 * NULL: none. O(log n) unless many starts have the same time. */
const struct fm_thread_start *fm_thread_starts_before(const struct fm_thread_starts *starts,
                                                      uint32_t location, uint64_t time,
                                                      struct fm_path_position position);

#endif
