/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * How long a call path may take where no sample has found it: not sampled is not zero.
 */
#ifndef FERMATA_DIAGNOSIS_PROBLEMS_SAMPLE_LIMIT_H
#define FERMATA_DIAGNOSIS_PROBLEMS_SAMPLE_LIMIT_H

#include "cube/model/cube.h"

/** What samples say of a cause's call path on the locations that are not among the cause's. */
struct fm_sample_limit {
    bool is_sampled;    /**< the call path is known by samples, and these locations compute */
    uint32_t unsampled; /**< locations that compute and have no sample at all */
    int64_t ticks;      /**< upper limit of the time in a call path without a sample on each of the
                             others: with n samples of a time T, 3 T / n, in which there would be one
                             with a probability of 95 % */
};

/** Finds the limit for a cause whose call path takes no time elsewhere. O(cells). Without memory
 * nothing is known of it. */
struct fm_sample_limit fm_sample_limit_elsewhere(const struct fm_cube *cube,
                                                 const struct fm_cube_problem *cause);

#endif
