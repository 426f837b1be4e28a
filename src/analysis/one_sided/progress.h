/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Needs of calls for the progress of targets, and the answers of the targets: their first calls
 * that make progress while the needing call runs [H17 algorithm 1].
 *
 * A need is sent to its target as soon as it is found and is not stored. A target answers only if
 * the call may have waited for it.
 */
#ifndef FERMATA_ANALYSIS_ONE_SIDED_PROGRESS_H
#define FERMATA_ANALYSIS_ONE_SIDED_PROGRESS_H

#include "analysis/model/run.h"

/** The target's first progressing call that overlaps the needing call. */
struct fm_progressing_call {
    uint64_t enter;
    uint64_t leave;
    struct fm_call_ref call;
};

/** An answer to a need. */
struct fm_progress_answer {
    struct fm_progressing_call found;
    struct fm_call_ref needing;
    uint32_t need; /**< number of the need in the process; those of one call are consecutive */
};

typedef FM_VECTOR(struct fm_progress_answer) fm_progress_answer_vector;

struct fm_progress;

/** @return an empty collection of needs, to be freed with fm_progress_free() */
struct fm_progress *fm_progress_create(struct fm_analysis *analysis);

/** NULL is allowed. */
void fm_progress_free(struct fm_progress *progress);

/** Runs a stage that adds needs, and collects their answers. Collective. */
void fm_progress_run(struct fm_progress *progress, fm_stage_t *stage, void *context);

/** Adds a need: `call` of `process` cannot finish before the library that it belongs to has
 * processed it on `target`. To be called by the worker that owns the process, for one of its calls
 * after the other, once for each target. */
void fm_progress_need(struct fm_progress *progress, unsigned worker, uint32_t process,
                      struct fm_call_ref call, uint32_t target);

/** Ends the needs of a process. */
void fm_progress_end(struct fm_progress *progress, unsigned worker);

/** @return the answers to the needs of a process, in no particular order. The caller may free the
 * vector's memory. */
fm_progress_answer_vector *fm_progress_answers(struct fm_progress *progress, uint32_t process);

#endif
