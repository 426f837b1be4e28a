/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The problems of a run as sentences: the causes of waiting and of idle threads in the program, in
 * descending order of that time, and one sentence for waiting without a cause in the program:
 * communication itself, lack of processors, start-up, unknown causes.
 */
#ifndef FERMATA_DIAGNOSIS_PROBLEMS_ANSWER_H
#define FERMATA_DIAGNOSIS_PROBLEMS_ANSWER_H

#include "diagnosis/diagnosis.h"
#include "diagnosis/sentences.h"

/** A cause in the program. */
struct fm_cause_text {
    const struct fm_cube_problem *cause; /**< of the cube */
    int64_t cost; /**< waiting that stems from it, without that by lack of processors, or idle time;
                       ticks */
    double load;  /**< share of the whole cost by lack of processors: fm_load_share() */
    struct fm_sentences headline; /**< headline, one line */
    struct fm_sentences lines;    /**< When, How, Why, Load, Waits, Gain, Samples, Try,
                                       Follows */
};

/** Causes in descending order of their cost. */
struct fm_answer {
    struct fm_cause_text *items; /**< the described ones */
    size_t count, capacity;
    size_t omitted_count; /**< number of causes in the program that are not described */
    int64_t omitted;      /**< their cost, ticks */
    int64_t unavoidable;  /**< waiting without a cause in the program, ticks */
    struct fm_sentences without_cause; /**< a sentence about that waiting, or none */
};

/** Describes the significant problems: at least 1 % of all time.
 * @param limit     maximum number of described problems
 * @param answer  out: to be released with fm_answer_free() */
void fm_answer_make(const struct fm_diagnosis *diagnosis, unsigned limit, struct fm_answer *answer);

void fm_answer_free(struct fm_answer *answer);

/** @return a problem in a few words: "`solve` (solve.c:3) on rank 3", "communication in MPI_Send",
 * "unknown causes"; to be freed with free(). */
char *fm_cause_name(const struct fm_diagnosis *diagnosis, const struct fm_cube_problem *cause);

/** @return the cost of a problem in ticks. */
int64_t fm_cause_ticks(const struct fm_cube *cube, int64_t cost);

#endif
