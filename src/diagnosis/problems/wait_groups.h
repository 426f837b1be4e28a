/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Wait states in groups by kind and by the waiting function, sorted by descending
 * waiting time.
 */
#ifndef FERMATA_DIAGNOSIS_PROBLEMS_WAIT_GROUPS_H
#define FERMATA_DIAGNOSIS_PROBLEMS_WAIT_GROUPS_H

#include "diagnosis/diagnosis.h"
#include "diagnosis/sentences.h"

/** All wait states of one kind in calls of one region. The last four fields are set only for the
 * first `shown` groups. */
struct fm_wait_group {
    fm_metric_t kind;
    uint32_t region;
    int64_t wait;                 /**< ticks */
    uint32_t callpath;            /**< call path with the longest waiting */
    uint32_t cause;               /**< call path of the largest cause; FM_CUBE_NONE: unknown */
    struct fm_sentences headline; /**< headline, one line */
    struct fm_sentences lines;    /**< labels: What, Where, Why, Last, Try */
};

/** Groups in descending order of waiting time. */
struct fm_wait_groups {
    struct fm_wait_group *items;
    size_t count, capacity;
    size_t shown; /**< number of groups to show, the first of the array */
    int64_t rest; /**< waiting time of the remaining groups, ticks */
};

/** Finds the groups and describes the significant ones.
 * @param limit     maximum number of described groups
 * @param groups  out: to be released with fm_wait_groups_free() */
void fm_wait_groups_find(const struct fm_diagnosis *diagnosis, unsigned limit,
                         struct fm_wait_groups *groups);

/** Appends the problems that most of a kind's waiting stems from ("Why"), if they are known. */
void fm_wait_groups_explain(const struct fm_diagnosis *diagnosis, fm_metric_t kind,
                            struct fm_sentences *lines);

void fm_wait_groups_free(struct fm_wait_groups *groups);

#endif
