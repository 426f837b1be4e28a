/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Notes the samples that compositions rest on, for their errors. Functions of libraries are part of
 * the function of the program that calls them. Private to src/trace/composition.
 */
#ifndef FERMATA_TRACE_COMPOSITION_ESTIMATES_WRITER_H
#define FERMATA_TRACE_COMPOSITION_ESTIMATES_WRITER_H

#include "base/containers/map.h"
#include "trace/composition/stretches.h"
#include "trace/tables/trace.h"

/** Writes the estimates of a location. */
struct fm_estimates_writer {
    const struct fm_trace *trace;
    struct fm_location *location;
    struct fm_map rows; /**< memory: node -> row of the block's paths */
};

/** Begins a block. Its samples follow by fm_estimates_add_sample(). */
void fm_estimates_begin_block(struct fm_estimates_writer *writer, uint32_t caller);

/** Adds a sample of the block.
 * @param visit  node of its innermost function, below the block's caller */
void fm_estimates_add_sample(struct fm_estimates_writer *writer, uint32_t visit, double weight);

/** Ends a block: all its samples are added.
 * @param order  numbers of its samples in the order of time, from 0; NULL: it is not known */
void fm_estimates_end_block(struct fm_estimates_writer *writer, const uint32_t *order);

/** Adds a pool of the last block.
 * @param first, end  its samples, numbers in the block
 * @return its row */
uint32_t fm_estimates_add_pool(struct fm_estimates_writer *writer, uint32_t first, uint32_t end);

void fm_estimates_writer_free(struct fm_estimates_writer *writer);

#endif
