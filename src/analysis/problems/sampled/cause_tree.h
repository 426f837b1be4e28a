/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The call paths of a location as causes of waiting, where samples tell their times: by how much
 * longer each took than on the waiters, in the intervals before the wait states that the location
 * has caused, and which of these differences are more than chance.
 *
 * A difference is significant if it is more than 3 standard errors. Where no function below a
 * caller is, the innermost caller that takes significantly longer with all that it calls stands for
 * them.
 */
#ifndef FERMATA_ANALYSIS_PROBLEMS_SAMPLED_CAUSE_TREE_H
#define FERMATA_ANALYSIS_PROBLEMS_SAMPLED_CAUSE_TREE_H

#include "analysis/causes/side_differences.h"
#include "analysis/model/run.h"

/** Standard errors that a difference must exceed. */
#define FM_SIGNIFICANT 3

/** A call path, with the functions of libraries that it calls. */
struct fm_cause_row {
    uint32_t callpath;
    uint32_t visit;          /**< node of the location; FM_NONE: it has none */
    uint32_t parent;         /**< row; FM_NONE: a root */
    bool is_call;            /**< a recorded call, whose times are exact */
    bool is_exact;           /**< its own time is */
    bool is_significant;     /**< its own time is longer */
    bool stands_for_callees; /**< it is longer with all that it calls, and no function below is
                                  known to be */
    double own, all;         /**< ticks by which it is longer: without and with what it calls */
    double waiters_own, waiters_all;   /**< ticks on the waiters */
    double exact;                      /**< ticks of `all` that are known exactly */
    double own_variance, all_variance; /**< ticks^2: squares of the errors */
    double visits, waiters_visits;     /**< in the intervals; 0 if they are not recorded, too */
    double unsampled;                  /**< ticks: what is below callers without samples */
    double
        own_excess; /**< ticks that are significant: of its own time, and of what it stands for */
    double excess;  /**< ... with all that it calls */
};

struct fm_cause_tree {
    FM_VECTOR(struct fm_cause_row) rows; /**< callers before what they call */
    struct fm_map row_of;                /**< call path -> row */
};

/** Makes the rows of a location. To be freed with fm_cause_tree_free(). Errors are 0. */
struct fm_cause_tree fm_cause_tree_create(const struct fm_analysis *analysis,
                                          const struct fm_side_differences *differences);

/** Completes the rows after their errors were entered. */
void fm_cause_tree_judge(struct fm_cause_tree *tree);

/** Judges no difference: none but exact ones is significant. Instead of fm_cause_tree_judge(). */
void fm_cause_tree_ignore(struct fm_cause_tree *tree);

/** @return the standard error of a row's own time, or with all that it calls; ticks. */
double fm_cause_error(const struct fm_cause_row *row, bool is_own);

/** @return whether a row is, or is called by, another one. */
bool fm_cause_is_within(const struct fm_cause_tree *tree, uint32_t row, uint32_t caller);

void fm_cause_tree_free(struct fm_cause_tree *tree);

#endif
