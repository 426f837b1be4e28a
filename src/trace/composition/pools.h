/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Shares of call paths in stretches, from the samples of stretches like them. Private to
 * src/trace/composition.
 *
 * Formulas: C_i are the ticks of computation of stretch i, g_s the weight of a sample.
 *  - The pool of i has the samples of all stretches of its block with |C - C_i| <= C_i / 20, and of
 *    the nearest others until there are 32. The share of a call path is its share of the weights.
 *  - In a block with at least 32 samples and different lengths, with its share p in the block, W_i
 *    the weight of the samples of i and w_i that of those of the call path, u = sum C / sum W:
 *    C0 = n / sum(1 / C_i), e_i = u (w_i - p W_i),
 *    b = sum((C_i - C0) e_i / C_i) / S, S = sum((C_i - C0)^2 / C_i),
 *    V = p (1 - p) sum over samples((u g_s (C_i - C0) / C_i)^2) / S^2; b is multiplied by
 *    max(0, 1 - 4 V / b^2). The share grows by b times the difference of (1 - C0 / C) between the
 *    stretch and its pool.
 */
#ifndef FERMATA_TRACE_COMPOSITION_POOLS_H
#define FERMATA_TRACE_COMPOSITION_POOLS_H

#include "base/containers/map.h"
#include "trace/composition/nearest.h"
#include "trace/composition/stretches.h"

#include <stdbool.h>

/** Stretches with samples are pooled until there are so many samples. */
#define FM_POOL_SAMPLES 32U

/** A block of a kind is closed when it has so many samples. */
#define FM_BLOCK_SAMPLES 1024U

/** Kinds with fewer samples borrow those of others, until they have so many. */
#define FM_OWN_SAMPLES 4U

/** Positions in a stretch: 0 = its begin, FM_POSITION_END = its end. */
#define FM_POSITION_END ((uint64_t)1 << 32)

/** Part of a call path in a stretch. */
struct fm_share {
    double share;
    double position; /**< mean position of its samples, 0 .. FM_POSITION_END */
    uint32_t visit;
    uint32_t count; /**< of its samples; 0: its correction alone brings it in */
};

typedef FM_VECTOR(struct fm_share) fm_shares;

/** A call path in the samples of a block. */
struct fm_pooled_path {
    uint32_t visit;
    uint32_t active;     /**< 1 + place in `active` of the pools; 0: not in the window */
    uint64_t count;      /**< samples of the window */
    double weight;       /**< of these */
    uint64_t positions;  /**< sum over these */
    double whole_weight; /**< of its samples in the block */
    uint64_t whole_count, whole_positions;
    double slope; /**< b; 0: no correction */
};

/** The pools of the stretches of one block, a window that moves with the length. */
struct fm_pools {
    const struct fm_stretches *stretches;
    FM_VECTOR(struct fm_sized) sampled; /**< stretches with samples, as for struct fm_nearest */
    FM_VECTOR(struct fm_pooled_path) paths;
    FM_VECTOR(uint32_t) active;  /**< rows of `paths` with samples in the window */
    FM_VECTOR(uint32_t) added;   /**< stretches beyond the window */
    struct fm_map path_of_visit; /**< node -> row of `paths` */
    size_t first, end;           /**< window in `sampled` */
    size_t low, high;            /**< out: the part of `sampled` that the last shares come from */
    uint64_t count;              /**< samples in the window */
    double weight;
    bool is_corrected;
    double common;    /**< C0 */
    double deviation; /**< sum over the window: g_s (1 - C0 / C) */
};

/** Begins a block.
 * @param members  stretches of the block, ascending as fm_compare_sized() has them */
void fm_pools_begin(struct fm_pools *pools, const struct fm_stretches *stretches,
                    const struct fm_sized *members, size_t count);

/** The composition of the block's stretches with so many ticks of computation (> 0). The ticks of
 * successive calls must not descend.
 * @param shares  out: parts > 0, their sum is 1; none: the block has no sample */
void fm_pools_shares(struct fm_pools *pools, uint64_t ticks, fm_shares *shares);

/** Frees the memory. */
void fm_pools_free(struct fm_pools *pools);

/** @return the position of a sample in its stretch. */
uint64_t fm_sample_position(const struct fm_stretch *stretch, const struct fm_stack_sample *sample);

#endif
