/** @file
 * The problems of a run: wait states by kind and by the function that waits, those with the longest
 * waiting first.
 */
#ifndef FERMATA_DIAGNOSIS_PROBLEMS_H
#define FERMATA_DIAGNOSIS_PROBLEMS_H

#include "diagnosis/diagnosis.h"
#include "diagnosis/sentences.h"

/** All wait states of one kind in calls of one region. The last four fields are set only for the
 * problems that are shown. */
struct fm_problem {
    fm_metric_t kind;
    uint32_t region;
    int64_t wait;      /**< ticks */
    uint32_t callpath; /**< at which most of it happens */
    uint32_t cause;    /**< call path that most of its costs lead to; FM_CUBE_NONE: none */
    struct fm_sentences headline; /**< one line */
    struct fm_sentences lines;    /**< What, Where, Why, Gain, Inside, Last, Try */
};

/** Worst first. */
struct fm_problems {
    struct fm_problem *items;
    size_t count, capacity;
    size_t shown; /**< the first ones are worth showing */
    int64_t rest; /**< waiting of the others, ticks */
};

/** Finds the problems and describes those that are worth it.
 * @param limit     problems described at most
 * @param problems  out: to be released with fm_problems_free() */
void fm_problems_find(const struct fm_diagnosis *diagnosis, unsigned limit,
                      struct fm_problems *problems);

void fm_problems_free(struct fm_problems *problems);

#endif
