/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What the compositions of a location's stretches rest on: the samples of their pools, from which
 * the errors of all sums of composed times follow.
 */
#ifndef FERMATA_TRACE_TABLES_ESTIMATES_H
#define FERMATA_TRACE_TABLES_ESTIMATES_H

#include "base/containers/vector.h"

#include <stdbool.h>
#include <stdint.h>

/** A stretch whose composition is an estimate. */
struct fm_estimated_stretch {
    uint64_t begin, end;
    float running; /**< share of its length that is CPU time */
    uint32_t pool; /**< row */
};

/** A pool: samples of stretches with nearly the same length. */
struct fm_sample_pool {
    uint32_t first, end; /**< its samples; none: its stretches have no composition */
    uint32_t block;      /**< row */
    float weight;        /**< of these samples */
};

struct fm_pooled_sample {
    uint32_t visit; /**< node of its innermost function of the program */
    uint32_t leaf;  /**< node of its innermost function, of a library, too */
    float weight;
};

/** A block of stretches of one kind. */
struct fm_sample_block {
    uint32_t first, end; /**< its samples, ascending by the lengths of their stretches */
    uint32_t caller;     /**< node of the common caller of both ends: a function of the program */
    uint32_t leaf;       /**< node of the common caller, a function of a library, too */
    uint32_t first_path, path_end;
    bool is_ordered; /**< the changes of its paths are counted */
};

/** A node in the samples of a block: by its own time, with functions of libraries that it calls or
 * alone, and with all that it calls. */
struct fm_block_path {
    uint32_t visit;
    uint32_t own, alone, inclusive; /**< samples */
    uint32_t own_changes, alone_changes,
        inclusive_changes; /**< pairs of successive samples of which
                              one is in it and the other is not */
};

/** Those of one location. Zeroed = empty. */
struct fm_estimates {
    FM_VECTOR(struct fm_estimated_stretch) stretches; /**< ascending by time */
    FM_VECTOR(struct fm_sample_pool) pools;
    FM_VECTOR(struct fm_pooled_sample) samples;
    FM_VECTOR(struct fm_sample_block) blocks;
    FM_VECTOR(struct fm_block_path) paths; /**< by block */
};

static inline void fm_estimates_free(struct fm_estimates *estimates)
{
    fm_vector_free(&estimates->stretches);
    fm_vector_free(&estimates->pools);
    fm_vector_free(&estimates->samples);
    fm_vector_free(&estimates->blocks);
    fm_vector_free(&estimates->paths);
}

#endif
