/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/samples/sample_errors.h"

#include "base/containers/sort.h"

#include <string.h>

/* Samples of nearly the same length: whole stretches are not told apart. */
#define CELL 32U

/* Of successive samples at even distances. */
#define EVEN (1.0 / 12)

/* Sums over the samples in a node. */
struct node_sums {
    double own, alone, inclusive;                /* variance */
    double own_spread, alone_spread, all_spread; /* of the block, without f */
    double own_weight, own_square;               /* of the cell: sum of w_s, of w_s^2 */
    double alone_weight, alone_square;           /* without functions of libraries */
    double all_weight, all_square;               /* with all that it calls */
    bool is_noted, is_in_cell;
};

struct fm_error_scratch {
    const struct fm_location *location; /* that the tables are made for */
    double *ticks;                      /* [pool]: m_i C_i of its stretches */
    FM_VECTOR(uint32_t) pools;          /* with ticks */
    double *rates;   /* [sample and end of a block]: change of w_s / g_s to the one before */
    double *largest; /* [block]: largest w_s^2; 0: not counted */
    double *counted; /* [block]: ticks */
    struct node_sums *nodes; /* [node] */
    FM_VECTOR(uint32_t) noted;
    FM_VECTOR(uint32_t) in_cell;
    FM_VECTOR(uint64_t) ends; /* of the intervals, ascending */
};

bool fm_visit_contains(const struct fm_location *location, uint32_t visit, uint32_t other)
{
    while (other != FM_NONE && other != visit) {
        other = location->profile.items[other].parent;
    }
    return other == visit;
}

/* ---- memory ---- */

static void free_tables(struct fm_error_scratch *scratch)
{
    fm_free(scratch->ticks);
    fm_free(scratch->rates);
    fm_free(scratch->largest);
    fm_free(scratch->counted);
    fm_free(scratch->nodes);
}

static void prepare(struct fm_sample_errors *errors, const struct fm_location *location)
{
    if (errors->scratch == NULL) {
        errors->scratch = fm_allocate(1, sizeof *errors->scratch);
    }
    struct fm_error_scratch *scratch = errors->scratch;
    if (scratch->location != location) {
        const struct fm_estimates *estimates = &location->estimates;
        free_tables(scratch);
        scratch->location = location;
        scratch->ticks = fm_allocate(estimates->pools.count, sizeof *scratch->ticks);
        scratch->rates =
            fm_allocate(estimates->samples.count + estimates->blocks.count, sizeof *scratch->rates);
        scratch->largest = fm_allocate(estimates->blocks.count, sizeof *scratch->largest);
        scratch->counted = fm_allocate(estimates->blocks.count, sizeof *scratch->counted);
        scratch->nodes = fm_allocate(location->profile.count, sizeof *scratch->nodes);
    }
    scratch->pools.count = scratch->noted.count = 0;
    errors->paths.count = errors->unsampled.count = errors->blocks.count =
        errors->block_ticks.count = 0;
    errors->largest = 0;
}

void fm_sample_errors_free(struct fm_sample_errors *errors)
{
    if (errors->scratch != NULL) {
        free_tables(errors->scratch);
        fm_vector_free(&errors->scratch->pools);
        fm_vector_free(&errors->scratch->noted);
        fm_vector_free(&errors->scratch->in_cell);
        fm_vector_free(&errors->scratch->ends);
        fm_free(errors->scratch);
    }
    fm_vector_free(&errors->paths);
    fm_vector_free(&errors->unsampled);
    fm_vector_free(&errors->blocks);
    fm_vector_free(&errors->block_ticks);
}

/* ---- how often each stretch counts ---- */

static int compare_times(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static void count_stretch(struct fm_sample_errors *errors,
                          const struct fm_estimated_stretch *stretch, uint64_t begin, uint64_t end,
                          uint32_t times)
{
    struct fm_error_scratch *scratch = errors->scratch;
    const double ticks = (double)(end - begin) * (double)stretch->running * times;
    if (stretch->pool != FM_NONE && ticks > 0) {
        if (scratch->ticks[stretch->pool] == 0) {
            fm_vector_push(&scratch->pools, stretch->pool);
        }
        scratch->ticks[stretch->pool] += ticks;
    }
}

/* @return the first stretch from number `first` on that ends behind a time */
static size_t search(const struct fm_estimates *estimates, size_t first, uint64_t time)
{
    size_t end = estimates->stretches.count;
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (estimates->stretches.items[middle].end <= time) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return first;
}

/* Counts what lies between two successive ends of intervals. @return where to go on */
static size_t count_between(struct fm_sample_errors *errors, const struct fm_estimates *estimates,
                            size_t at, uint64_t begin, uint64_t end, uint32_t times)
{
    const struct fm_estimated_stretch *items = estimates->stretches.items;
    if (at < estimates->stretches.count && items[at].end <= begin) {
        at = search(estimates, at, begin);
    }
    for (; at < estimates->stretches.count && items[at].begin < end; at++) {
        count_stretch(errors, &items[at], items[at].begin > begin ? items[at].begin : begin,
                      items[at].end < end ? items[at].end : end, times);
        if (items[at].end > end) {
            break;
        }
    }
    return at;
}

static void count_stretches(struct fm_sample_errors *errors, const struct fm_estimates *estimates,
                            const struct fm_counted_interval *intervals, size_t count)
{
    struct fm_error_scratch *scratch = errors->scratch;
    scratch->ends.count = 0;
    for (size_t i = 0; i < count; i++) {
        fm_vector_push(&scratch->ends, intervals[i].end);
    }
    fm_sort(scratch->ends.items, count, sizeof *scratch->ends.items, compare_times);
    size_t begun = 0, ended = 0, at = 0;
    uint64_t time = 0;
    while (ended < count) {
        const bool begins = begun < count && intervals[begun].begin <= scratch->ends.items[ended];
        const uint64_t next = begins ? intervals[begun].begin : scratch->ends.items[ended];
        if (begun > ended && next > time) {
            at = count_between(errors, estimates, at, time, next, (uint32_t)(begun - ended));
        }
        time = next;
        begun += begins;
        ended += !begins;
    }
}

/* ---- errors of nodes ---- */

static struct node_sums *note(struct fm_error_scratch *scratch, uint32_t visit)
{
    struct node_sums *node = &scratch->nodes[visit];
    if (!node->is_noted) {
        node->is_noted = true;
        fm_vector_push(&scratch->noted, visit);
    }
    if (!node->is_in_cell) {
        node->is_in_cell = true;
        fm_vector_push(&scratch->in_cell, visit);
    }
    return node;
}

static void add_sample(struct fm_error_scratch *scratch, const struct fm_pooled_sample *sample,
                       double weight)
{
    struct node_sums *own = note(scratch, sample->visit);
    own->own_weight += weight;
    own->own_square += weight * weight;
    struct node_sums *leaf = note(scratch, sample->leaf);
    leaf->alone_weight += weight;
    leaf->alone_square += weight * weight;
    for (uint32_t at = sample->visit; at != FM_NONE;
         at = scratch->location->profile.items[at].parent) {
        struct node_sums *node = note(scratch, at);
        node->all_weight += weight;
        node->all_square += weight * weight;
    }
}

/* sum of w_s^2 ([s in c] - p)^2 */
static double spread(double weight, double square, double all_weight, double all_square)
{
    const double p = weight / all_weight;
    const double sum = (1 - 2 * p) * square + p * p * all_square;
    return weight < all_weight && sum > 0 ? sum : 0;
}

/* Ends a cell of samples, whose w_s and w_s^2 have these sums. */
static void end_cell(struct fm_error_scratch *scratch, double weight, double square)
{
    for (size_t i = 0; i < scratch->in_cell.count; i++) {
        struct node_sums *node = &scratch->nodes[scratch->in_cell.items[i]];
        if (weight > 0) {
            node->own_spread += spread(node->own_weight, node->own_square, weight, square);
            node->alone_spread += spread(node->alone_weight, node->alone_square, weight, square);
            node->all_spread += spread(node->all_weight, node->all_square, weight, square);
        }
        node->own_weight = node->own_square = node->all_weight = node->all_square = 0;
        node->alone_weight = node->alone_square = 0;
        node->is_in_cell = false;
    }
    scratch->in_cell.count = 0;
}

/* @return f */
static double evenness(const struct fm_sample_block *block, uint32_t count, uint32_t changes)
{
    const uint32_t samples = block->end - block->first;
    if (!block->is_ordered || samples < 2 || count == 0 || count == samples) {
        return 1;
    }
    const double p = (double)count / samples;
    const double f = EVEN + (double)changes / (samples - 1) / (2 * p * (1 - p));
    return f < 1 ? f : 1;
}

/* Adds the variances of a block whose samples count. */
static void add_block(struct fm_sample_errors *errors, const struct fm_estimates *estimates,
                      uint32_t number)
{
    struct fm_error_scratch *scratch = errors->scratch;
    const struct fm_sample_block *block = &estimates->blocks.items[number];
    double rate = 0, weight = 0, square = 0, largest = 0;
    uint32_t count = 0;
    for (uint32_t s = block->first; s < block->end; s++) {
        rate += scratch->rates[s + number];
        scratch->rates[s + number] = 0;
        const double w = (double)estimates->samples.items[s].weight * (rate > 0 ? rate : 0);
        add_sample(scratch, &estimates->samples.items[s], w);
        weight += w;
        square += w * w;
        largest = w * w > largest ? w * w : largest;
        if (++count == CELL && block->end - s > CELL) {
            end_cell(scratch, weight, square);
            weight = square = 0;
            count = 0;
        }
    }
    scratch->rates[block->end + number] = 0;
    end_cell(scratch, weight, square);
    scratch->largest[number] = largest;
    for (uint32_t i = block->first_path; i < block->path_end; i++) {
        const struct fm_block_path *path = &estimates->paths.items[i];
        struct node_sums *node = &scratch->nodes[path->visit];
        node->own += node->own_spread * evenness(block, path->own, path->own_changes);
        node->alone += node->alone_spread * evenness(block, path->alone, path->alone_changes);
        node->inclusive +=
            node->all_spread * evenness(block, path->inclusive, path->inclusive_changes);
        node->own_spread = node->alone_spread = node->all_spread = 0;
    }
}

/* Gives the samples of the pools their weights, and finds the blocks. */
static void spread_pools(struct fm_sample_errors *errors, const struct fm_estimates *estimates)
{
    struct fm_error_scratch *scratch = errors->scratch;
    for (size_t i = 0; i < scratch->pools.count; i++) {
        const struct fm_sample_pool *pool = &estimates->pools.items[scratch->pools.items[i]];
        const double ticks = scratch->ticks[scratch->pools.items[i]];
        scratch->ticks[scratch->pools.items[i]] = 0;
        if (!(pool->weight > 0)) {
            const struct fm_sample_block *block = &estimates->blocks.items[pool->block];
            fm_vector_push(&errors->unsampled,
                           ((struct fm_unsampled){ticks, block->caller, block->leaf}));
            continue;
        }
        if (scratch->largest[pool->block] == 0) {
            scratch->largest[pool->block] = -1; /* not known yet */
            fm_vector_push(&errors->blocks, pool->block);
        }
        scratch->counted[pool->block] += ticks;
        scratch->rates[pool->first + pool->block] += ticks / (double)pool->weight;
        scratch->rates[pool->end + pool->block] -= ticks / (double)pool->weight;
    }
}

/* ---- the least errors ---- */

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

/* Which time of a node. */
enum part { OWN, ALONE, INCLUSIVE };

/* @return whether all of the stretches of a block is in a node */
static bool is_whole(const struct fm_location *location, const struct fm_sample_block *block,
                     uint32_t visit, enum part part)
{
    const struct fm_estimates *estimates = &location->estimates;
    if (part == OWN     ? block->caller != visit
        : part == ALONE ? block->leaf != visit
                        : !fm_visit_contains(location, visit, block->caller)) {
        return false;
    }
    for (uint32_t i = block->first_path; i < block->path_end; i++) {
        const struct fm_block_path *path = &estimates->paths.items[i];
        if (path->visit == visit) {
            return (part == OWN     ? path->own
                    : part == ALONE ? path->alone
                                    : path->inclusive) == block->end - block->first;
        }
    }
    return false;
}

/* @return an error, at least the largest square of a sample's ticks, of the blocks of which a node
 * does not hold all */
static double at_least(double error, const struct fm_sample_errors *errors,
                       const struct fm_location *location, uint32_t visit, enum part part)
{
    for (size_t i = 0; i < errors->blocks.count; i++) {
        const uint32_t number = errors->blocks.items[i];
        const double largest = errors->scratch->largest[number];
        if (largest > error &&
            !is_whole(location, &location->estimates.blocks.items[number], visit, part)) {
            error = largest;
        }
    }
    return error;
}

static void list_paths(struct fm_sample_errors *errors, const struct fm_location *location)
{
    struct fm_error_scratch *scratch = errors->scratch;
    fm_sort(scratch->noted.items, scratch->noted.count, sizeof *scratch->noted.items,
            compare_numbers);
    for (size_t i = 0; i < scratch->noted.count; i++) {
        const uint32_t visit = scratch->noted.items[i];
        struct node_sums *node = &scratch->nodes[visit];
        fm_vector_push(
            &errors->paths,
            ((struct fm_path_error){
                .own = at_least(node->own, errors, location, visit, OWN),
                .alone = at_least(node->alone, errors, location, visit, ALONE),
                .inclusive = at_least(node->inclusive, errors, location, visit, INCLUSIVE),
                .visit = visit,
            }));
        *node = (struct node_sums){0};
    }
    for (size_t i = 0; i < errors->blocks.count; i++) {
        double *largest = &scratch->largest[errors->blocks.items[i]];
        double *counted = &scratch->counted[errors->blocks.items[i]];
        fm_vector_push(&errors->block_ticks, *counted);
        *counted = 0;
        errors->largest = *largest > errors->largest ? *largest : errors->largest;
        *largest = 0;
    }
}

void fm_sample_errors_find(struct fm_sample_errors *errors, const struct fm_location *location,
                           const struct fm_counted_interval *intervals, size_t count)
{
    const struct fm_estimates *estimates = &location->estimates;
    prepare(errors, location);
    if (estimates->stretches.count == 0) {
        return;
    }
    count_stretches(errors, estimates, intervals, count);
    fm_sort(errors->scratch->pools.items, errors->scratch->pools.count,
            sizeof *errors->scratch->pools.items, compare_numbers);
    spread_pools(errors, estimates);
    fm_sort(errors->blocks.items, errors->blocks.count, sizeof *errors->blocks.items,
            compare_numbers);
    for (size_t i = 0; i < errors->blocks.count; i++) {
        add_block(errors, estimates, errors->blocks.items[i]);
    }
    list_paths(errors, location);
}
