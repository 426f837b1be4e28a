/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Parts of a run that locations have in common: between calls in which all of them take part, or
 * between the messages that each exchanges with the partner with which it exchanges most. They
 * stand for iterations where visits of functions cannot be paired, since only samples tell of them.
 */
#ifndef FERMATA_WHATIF_CHANGES_SHARED_CALLS_H
#define FERMATA_WHATIF_CHANGES_SHARED_CALLS_H

#include "trace/tables/trace.h"

/** Which calls divide a run. */
enum fm_shared_calls {
    FM_SHARED_BY_ALL,       /**< collectives and fences of processes, and barriers of threads */
    FM_SHARED_BY_THREADS,   /**< barriers of threads */
    FM_SHARED_BY_PROCESSES, /**< collectives and fences of processes */
    FM_SHARED_BY_PARTNERS,  /**< messages of a location and one partner, in one direction */
    FM_SHARED_BY_NONE       /**< the run is one part */
};

/** @return the first of these kinds of calls that all of some locations have made equally often, at
 * least once; messages of partners, if there are several times as many of them.
 * @param locations  [location]: whether it is one of them */
enum fm_shared_calls fm_shared_calls_choose(const struct fm_trace *trace, const bool *locations);

/** A walk over the parts of a location. */
struct fm_shared_walk {
    const struct fm_trace *trace;
    const struct fm_location *location;
    enum fm_shared_calls calls;
    uint32_t activity; /**< first call behind the last time */
    uint64_t part;
    FM_VECTOR(uint32_t) messages; /**< PARTNERS: calls that sent one, or completed one, ascending */
};

/** Begins with the begin of a location. To be freed with fm_shared_walk_free(). */
void fm_shared_walk_begin(struct fm_shared_walk *walk, const struct fm_trace *trace,
                          uint32_t location, enum fm_shared_calls calls);

/** @return the number of the part at a time, which does not decrease from call to call: from 0 on
 */
uint64_t fm_shared_walk_at(struct fm_shared_walk *walk, uint64_t time);

void fm_shared_walk_free(struct fm_shared_walk *walk);

#endif
