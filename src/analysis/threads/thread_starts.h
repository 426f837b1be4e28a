/** @file
 * Where the work of threads comes from: a thread of a team begins at the fork of its master, a
 * POSIX thread at its creation. The critical path continues there. */
#ifndef FERMATA_ANALYSIS_THREADS_THREAD_STARTS_H
#define FERMATA_ANALYSIS_THREADS_THREAD_STARTS_H

#include "analysis/model/run.h"

/** A thread has begun to work for another one. */
struct fm_thread_start {
    uint64_t time;    /**< of the fork or creation */
    uint32_t creator; /**< location of the same process */
};

/** The starts of all locations that are owned here. */
struct fm_thread_starts;

/** @return no starts, to be freed with fm_thread_starts_free(). */
struct fm_thread_starts *fm_thread_starts_create(uint32_t location_count);

/** NULL is allowed. */
void fm_thread_starts_free(struct fm_thread_starts *starts);

/** Adds a start of a location, in any order; distinct locations by distinct workers at the same
 * time. */
void fm_thread_starts_add(struct fm_thread_starts *starts, uint32_t location,
                          struct fm_thread_start start);

/** Sorts the starts of all locations, after all were added. */
void fm_thread_starts_sort(struct fm_thread_starts *starts);

/** @return the latest start of a location until `time`; NULL: none. O(log n) */
const struct fm_thread_start *fm_thread_starts_until(const struct fm_thread_starts *starts,
                                                     uint32_t location, uint64_t time);

#endif
