/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/composition/estimates_writer.h"

#include "trace/composition/kinds.h"

void fm_estimates_begin_block(struct fm_estimates_writer *writer, uint32_t caller)
{
    struct fm_estimates *estimates = &writer->location->estimates;
    const uint32_t samples = (uint32_t)estimates->samples.count;
    const uint32_t paths = (uint32_t)estimates->paths.count;
    fm_map_clear(&writer->rows);
    fm_vector_push(&estimates->blocks,
                   ((struct fm_sample_block){
                       .first = samples,
                       .end = samples,
                       .caller = fm_trace_function_visit(writer->trace, writer->location, caller),
                       .leaf = caller,
                       .first_path = paths,
                       .path_end = paths,
                   }));
}

static struct fm_sample_block *last_block(const struct fm_estimates_writer *writer)
{
    struct fm_estimates *estimates = &writer->location->estimates;
    return &estimates->blocks.items[estimates->blocks.count - 1];
}

static struct fm_block_path *path_of(struct fm_estimates_writer *writer, uint32_t visit)
{
    struct fm_estimates *estimates = &writer->location->estimates;
    const uint32_t next = (uint32_t)estimates->paths.count;
    const uint32_t row = *fm_map_at(&writer->rows, visit, next);
    if (row == next) {
        fm_vector_push(&estimates->paths, (struct fm_block_path){.visit = visit});
    }
    return &estimates->paths.items[row];
}

void fm_estimates_add_sample(struct fm_estimates_writer *writer, uint32_t visit, double weight)
{
    const uint32_t leaf = visit;
    visit = fm_trace_function_visit(writer->trace, writer->location, visit);
    fm_vector_push(&writer->location->estimates.samples,
                   ((struct fm_pooled_sample){visit, leaf, (float)weight}));
    path_of(writer, leaf)->alone++;
    path_of(writer, visit)->own++;
    for (uint32_t at = visit; at != FM_NONE; at = writer->location->profile.items[at].parent) {
        path_of(writer, at)->inclusive++;
    }
}

/* Counts a node and its callers inside another one. */
static void count_inner_changes(struct fm_estimates_writer *writer, uint32_t visit, uint32_t outer)
{
    for (; visit != outer; visit = writer->location->profile.items[visit].parent) {
        path_of(writer, visit)->inclusive_changes++;
    }
}

/* Counts the nodes that one of two successive samples is in. */
static void count_changes(struct fm_estimates_writer *writer, uint32_t one, uint32_t other)
{
    if (one == other) {
        return;
    }
    const uint32_t common = fm_common_caller(writer->location, one, other);
    path_of(writer, one)->own_changes++;
    path_of(writer, other)->own_changes++;
    count_inner_changes(writer, one, common);
    count_inner_changes(writer, other, common);
}

void fm_estimates_end_block(struct fm_estimates_writer *writer, const uint32_t *order)
{
    struct fm_estimates *estimates = &writer->location->estimates;
    struct fm_sample_block *block = last_block(writer);
    block->end = (uint32_t)estimates->samples.count;
    const struct fm_pooled_sample *samples = estimates->samples.items + block->first;
    for (uint32_t i = 1; order != NULL && i < block->end - block->first; i++) {
        const struct fm_pooled_sample *one = &samples[order[i - 1]], *other = &samples[order[i]];
        count_changes(writer, one->visit, other->visit);
        if (one->leaf != other->leaf) {
            path_of(writer, one->leaf)->alone_changes++;
            path_of(writer, other->leaf)->alone_changes++;
        }
    }
    block->is_ordered = order != NULL;
    block->path_end = (uint32_t)estimates->paths.count;
}

uint32_t fm_estimates_add_pool(struct fm_estimates_writer *writer, uint32_t first, uint32_t end)
{
    struct fm_estimates *estimates = &writer->location->estimates;
    const uint32_t block = (uint32_t)estimates->blocks.count - 1;
    struct fm_sample_pool pool = {
        .first = last_block(writer)->first + first,
        .end = last_block(writer)->first + end,
        .block = block,
    };
    const struct fm_sample_pool *last =
        estimates->pools.count == 0 ? NULL : &estimates->pools.items[estimates->pools.count - 1];
    if (last != NULL && last->block == block && last->first == pool.first &&
        last->end == pool.end) {
        return (uint32_t)estimates->pools.count - 1;
    }
    double weight = 0;
    for (uint32_t i = pool.first; i < pool.end; i++) {
        weight += (double)estimates->samples.items[i].weight;
    }
    pool.weight = (float)weight;
    fm_vector_push(&estimates->pools, pool);
    return (uint32_t)estimates->pools.count - 1;
}

void fm_estimates_writer_free(struct fm_estimates_writer *writer)
{
    fm_map_free(&writer->rows);
}
