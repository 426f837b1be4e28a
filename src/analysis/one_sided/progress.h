/** @file
 * Which calls need the progress of which targets, and what these answer: their first calls that
 * make progress while the needing call runs [H17 algorithm 1].
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
    uint32_t need; /**< number among the needs of the process: those of one call in a row */
};

typedef FM_VECTOR(struct fm_progress_answer) fm_progress_answer_vector;

struct fm_progress;

/** @return without any needs, to be freed with fm_progress_free() */
struct fm_progress *fm_progress_create(struct fm_analysis *analysis);

/** NULL is allowed. */
void fm_progress_free(struct fm_progress *progress);

/** Runs a stage in which needs are found, and has them answered. All of the team must do so. */
void fm_progress_run(struct fm_progress *progress, fm_stage_t *stage, void *context);

/** A process's call cannot finish before software on `target` has taken notice of it. To be called
 * by the worker that owns the process: for each of its calls in turn, naming each target once. */
void fm_progress_need(struct fm_progress *progress, unsigned worker, uint32_t process,
                      struct fm_call_ref call, uint32_t target);

/** The process has no more needs. */
void fm_progress_end(struct fm_progress *progress, unsigned worker);

/** @return the answers to a process's needs, in no particular order. It may free them. */
fm_progress_answer_vector *fm_progress_answers(struct fm_progress *progress, uint32_t process);

#endif
