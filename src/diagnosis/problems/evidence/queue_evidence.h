/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What the queues of an MPI library explain of a problem: a rank for which others wait while it is
 * in calls of the library, by the time of these calls themselves.
 *
 * MPI compares a message that arrives with the receives that are posted, and a receive with the
 * messages that have come before it (the unexpected ones). The first is timed by hooks
 * (MATCH_TIME); the second is not, but the trace bounds the number of unexpected messages and the
 * length of their queue.
 *
 * Matching is stated as the reason only if at least half of the calls' own time must have been
 * matching: the matching time of the processes of the problem, beyond that of the other process
 * with the most, is longer than all of their other time in MPI, waiting included, by that much.
 * If at least half of the messages were unexpected by the library's counter, it is their keeping.
 *
 * A queue of unexpected messages is stated as an observation, not as a reason, and only if the
 * calls search it, nine tenths of the processes' messages were certainly unexpected, at least
 * 1,000 were in it at once, more than twice as many as in the queue of any other process, and a
 * call takes longer than one that finds its message at once, but not longer than searching the
 * queue may take; copying the data must not explain half of the time.
 */
#ifndef FERMATA_DIAGNOSIS_PROBLEMS_EVIDENCE_QUEUE_EVIDENCE_H
#define FERMATA_DIAGNOSIS_PROBLEMS_EVIDENCE_QUEUE_EVIDENCE_H

#include "diagnosis/diagnosis.h"
#include "diagnosis/sentences.h"

/** What the library does in calls for which others wait. */
typedef enum {
    FM_QUEUE_EXPLAINS_NOTHING,
    FM_QUEUE_MATCHES, /**< it compares messages that arrive with posted receives */
    FM_QUEUE_KEEPS,   /**< likewise, but most have none and are kept for later */
    FM_QUEUE_IS_LONG  /**< receives search a long queue of unexpected messages */
} fm_queue_reason_t;

/** @return what is known; FM_QUEUE_EXPLAINS_NOTHING for problems of other kinds than
 * FM_CAUSE_TRANSFER. Time: a pass over the values of MPI's metrics, unless the cube has neither
 * matching times nor bounds of unexpected messages. */
fm_queue_reason_t fm_queue_reason(const struct fm_diagnosis *diagnosis,
                                  const struct fm_cube_problem *cause);

/** Appends the reason with its numbers ("Why"), or the observation ("Queue"), if there is one. */
void fm_evidence_of_queues(const struct fm_diagnosis *diagnosis,
                           const struct fm_cube_problem *cause, struct fm_sentences *lines);

#endif
