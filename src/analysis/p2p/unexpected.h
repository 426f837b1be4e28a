/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Unexpected messages: those that the library had taken in before their receive was posted. A trace
 * does not show when a message is taken in, but it bounds it (docs/counters.md has the rules).
 */
#ifndef FERMATA_ANALYSIS_P2P_UNEXPECTED_H
#define FERMATA_ANALYSIS_P2P_UNEXPECTED_H

#include "analysis/p2p/sends.h"

/** A message as its receiver sees it; all times are ticks by the receiver's clock. */
struct fm_taken_message {
    uint64_t earliest;   /**< the library cannot have taken it in before */
    uint64_t delivered;  /**< it had reached the process then; UINT64_MAX: not known */
    uint64_t known;      /**< the library had taken it in then; UINT64_MAX: not known */
    uint64_t progressed; /**< messages from then on cannot be taken in before `posted` */
    uint64_t posted;     /**< Enter of the call that posted its receive */
    uint64_t received;   /**< Leave of the call that completed its receive */
    uint64_t channel;    /**< messages of one channel are taken in in the order of `row` */
    uint32_t row;
    uint32_t bytes;      /**< of its data */
    bool data_came_late; /**< its data was sent when its receive had been posted */
};

/** A call in which a process waited: at its end the library had taken in what had reached the
 * process by `until`. */
struct fm_taking_call {
    uint64_t until, leave;
};

/** @return the bounds for the messages of one process. Changes `known` of the messages, and sorts
 * the calls. O(n log n) */
struct fm_cube_unexpected fm_unexpected_bounds(struct fm_taken_message *messages, size_t count,
                                               struct fm_taking_call *calls, size_t call_count);

struct fm_unexpected_search;

/** @return a search in the messages of all processes, to be freed with fm_unexpected_close() */
struct fm_unexpected_search *fm_unexpected_create(struct fm_analysis *analysis,
                                                  const struct fm_matched_sends *sends);

/** Finds the bounds of a process, whose messages are matched, and whose waiting for messages and in
 * collective operations is found. To be called by the worker that owns the process. */
void fm_unexpected_find(struct fm_unexpected_search *search, unsigned worker, uint32_t process);

/** Collects the bounds of all processes in `analysis->unexpected` of process 0, and frees the
 * search. Collective. */
void fm_unexpected_close(struct fm_unexpected_search *search);

/** Adds the bounds to the report; to be called after its locations were added, by process 0. */
void fm_unexpected_fill(const struct fm_analysis *analysis, struct fm_cube *cube);

#endif
