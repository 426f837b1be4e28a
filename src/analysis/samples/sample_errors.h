/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Errors of sums of composed times. A sum counts each stretch of a location as often as intervals
 * hold it. With C_i the CPU time of stretch i, m_i how often it counts, g_s the weight of sample s
 * and G_i that of the pool of i, a sample stands for w_s = sum of m_i C_i g_s / G_i over the
 * stretches whose pools contain it. The variance of the sum of a call path c is
 *
 *     sum over s of w_s^2 ([s in c] - p)^2, times f = min(1, 1/12 + e / (2 p (1 - p)))
 *
 * in each block, with p the share of c in the samples of nearly the same length as s, and, in f,
 * counted in the block; e is the share of successive samples of which one is in c and the other is
 * not: samples are taken at even distances. It is at least the square of the largest w_s. Where all
 * of a stretch is in c, its part is exact.
 */
#ifndef FERMATA_ANALYSIS_SAMPLES_SAMPLE_ERRORS_H
#define FERMATA_ANALYSIS_SAMPLES_SAMPLE_ERRORS_H

#include "trace/tables/trace.h"

/** Time in an interval of a location. */
struct fm_counted_interval {
    uint64_t begin, end;
};

/** Square of the standard error, of a sum in a call path. */
struct fm_path_error {
    double own;       /**< ticks^2: without what it calls but functions of libraries */
    double alone;     /**< ticks^2: without what it calls */
    double inclusive; /**< ticks^2: with all that it calls */
    uint32_t visit;
};

/** Stretches of which no composition is known. */
struct fm_unsampled {
    double ticks;
    uint32_t caller; /**< node of the function of the program that they belong to */
    uint32_t leaf;   /**< node that they belong to, a function of a library, too */
};

/** Memory of a worker, and the result of fm_sample_errors_find(). Zeroed = empty. */
struct fm_sample_errors {
    FM_VECTOR(struct fm_path_error)
    paths; /**< of nodes with samples and their callers, each once */
    FM_VECTOR(struct fm_unsampled) unsampled; /**< by pool */
    double largest;                           /**< ticks^2: of all other nodes */
    FM_VECTOR(uint32_t) blocks;               /**< that the samples belong to */
    FM_VECTOR(double) block_ticks;            /**< of the stretches of each of them */
    struct fm_error_scratch *scratch;
};

/** Finds the errors of the sums over intervals, which are ascending by begin and may overlap.
 * O(stretches in them + samples of their blocks). */
void fm_sample_errors_find(struct fm_sample_errors *errors, const struct fm_location *location,
                           const struct fm_counted_interval *intervals, size_t count);

/** @return whether a node is, or has among its callees, another one; `other` may be FM_NONE. */
bool fm_visit_contains(const struct fm_location *location, uint32_t visit, uint32_t other);

void fm_sample_errors_free(struct fm_sample_errors *errors);

#endif
