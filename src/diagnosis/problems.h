/** @file
 * The problems of a run: wait states by kind and by the waiting function, sorted by descending
 * waiting time.
 */
#ifndef FERMATA_DIAGNOSIS_PROBLEMS_H
#define FERMATA_DIAGNOSIS_PROBLEMS_H

#include "diagnosis/diagnosis.h"
#include "diagnosis/sentences.h"

/** All wait states of one kind in calls of one region. The last four fields are set only for the
 * first `shown` problems. */
struct fm_problem {
    fm_metric_t kind;
    uint32_t region;
    int64_t wait;                 /**< ticks */
    uint32_t callpath;            /**< call path with the longest waiting */
    uint32_t cause;               /**< call path with the highest costs; FM_CUBE_NONE: none */
    struct fm_sentences headline; /**< headline, one line */
    struct fm_sentences lines;    /**< labels: What, Where, Why, Gain, Inside, Last, Try */
};

/** Problems in descending order of waiting time. */
struct fm_problems {
    struct fm_problem *items;
    size_t count, capacity;
    size_t shown; /**< number of problems to show, the first of the array */
    int64_t rest; /**< waiting time of the remaining problems, ticks */
};

/** Finds the problems and describes the significant ones.
 * @param limit     maximum number of described problems
 * @param problems  out: to be released with fm_problems_free() */
void fm_problems_find(const struct fm_diagnosis *diagnosis, unsigned limit,
                      struct fm_problems *problems);

void fm_problems_free(struct fm_problems *problems);

#endif
