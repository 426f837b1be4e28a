/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Finds the functions of a program that are the causes of waiting: from the common caller of all
 * that takes longer down to where one function has most of it, or where it is spread over all that
 * a function does.
 */
#ifndef FERMATA_ANALYSIS_PROBLEMS_SAMPLED_DESCENT_H
#define FERMATA_ANALYSIS_PROBLEMS_SAMPLED_DESCENT_H

#include "analysis/problems/sampled/cause_tree.h"

/** Where the descent has led a row. */
struct fm_descent {
    uint32_t cause;    /**< [row]: row of the function that is the cause; of others itself */
    uint32_t replaced; /**< of a cause: row of the caller that it stands for; FM_NONE: none */
    double share;      /**< of the excess of this caller */
};

/** @param tree  judged
 * @return [row]; to be freed with fm_free() */
struct fm_descent *fm_descend(const struct fm_cause_tree *tree);

#endif
