/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/composition/pools.h"

#include <math.h>

/* A stretch is like another one if their lengths differ by at most this part of its own. */
#define LIKE 20U

uint64_t fm_sample_position(const struct fm_stretch *stretch, const struct fm_stack_sample *sample)
{
    const uint64_t length = stretch->end - stretch->begin;
    return length == 0 ? 0
                       : (uint64_t)((unsigned __int128)(sample->time - stretch->begin) *
                                    FM_POSITION_END / length);
}

/* ---- the window ---- */

/* How far a length is from the common one, relative to itself. */
static double deviation(const struct fm_pools *pools, uint64_t ticks)
{
    return 1 - pools->common / (double)ticks;
}

static void count_path(struct fm_pools *pools, uint32_t row, bool add, double weight,
                       uint64_t position)
{
    struct fm_pooled_path *path = &pools->paths.items[row];
    if (add) {
        if (path->count++ == 0) {
            fm_vector_push(&pools->active, row);
            path->active = (uint32_t)pools->active.count;
        }
        path->weight += weight;
        path->positions += position;
        return;
    }
    path->weight -= weight;
    path->positions -= position;
    if (--path->count == 0) {
        const uint32_t last = pools->active.items[--pools->active.count];
        pools->active.items[path->active - 1] = last;
        pools->paths.items[last].active = path->active;
        path->active = 0;
        path->weight = 0;
    }
}

/* Adds the samples of a stretch to the window, or takes them out. */
static void count_stretch(struct fm_pools *pools, uint32_t number, bool add)
{
    const struct fm_stretch *stretch = &pools->stretches->items.items[number];
    const uint64_t ticks = fm_stretch_ticks(stretch);
    for (uint32_t i = 0; i < stretch->sample_count; i++) {
        const struct fm_stack_sample *sample =
            &pools->stretches->samples.items[stretch->first_sample + i];
        const double weight = add ? sample->weight : -sample->weight;
        count_path(pools, fm_map_get(&pools->path_of_visit, sample->visit), add, sample->weight,
                   fm_sample_position(stretch, sample));
        pools->weight += weight;
        if (pools->is_corrected && ticks != 0) {
            pools->deviation += weight * deviation(pools, ticks);
        }
    }
    pools->count =
        add ? pools->count + stretch->sample_count : pools->count - stretch->sample_count;
}

/* ---- the correction for length ---- */

static void note_whole(struct fm_pools *pools, const struct fm_stretch *stretch)
{
    const bool is_empty = fm_stretch_ticks(stretch) == 0;
    for (uint32_t i = 0; i < stretch->sample_count; i++) {
        const struct fm_stack_sample *sample =
            &pools->stretches->samples.items[stretch->first_sample + i];
        const uint32_t next = (uint32_t)pools->paths.count;
        const uint32_t row = *fm_map_at(&pools->path_of_visit, sample->visit, next);
        if (row == next) {
            fm_vector_push(&pools->paths, (struct fm_pooled_path){.visit = sample->visit});
        }
        struct fm_pooled_path *path = &pools->paths.items[row];
        path->whole_weight += is_empty ? 0 : sample->weight;
        path->whole_count++;
        path->whole_positions += fm_sample_position(stretch, sample);
    }
}

/* Sums over the stretches of a block. */
struct length_sums {
    double ticks, inverse; /* sum of C, of 1 / C */
    double weight;
    double square; /* S */
    uint64_t count, samples;
    bool is_equal; /* all C are */
};

static struct length_sums sum_lengths(const struct fm_pools *pools, const struct fm_sized *members,
                                      size_t count)
{
    struct length_sums sums = {.is_equal = true};
    uint64_t first = 0;
    for (size_t i = 0; i < count; i++) {
        const struct fm_stretch *stretch = &pools->stretches->items.items[members[i].stretch];
        const uint64_t ticks = members[i].ticks;
        if (ticks == 0) {
            continue;
        }
        first = sums.count == 0 ? ticks : first;
        sums.is_equal = sums.is_equal && ticks == first;
        sums.ticks += (double)ticks;
        sums.inverse += 1 / (double)ticks;
        sums.count++;
        sums.samples += stretch->sample_count;
        for (uint32_t s = 0; s < stretch->sample_count; s++) {
            sums.weight += pools->stretches->samples.items[stretch->first_sample + s].weight;
        }
    }
    return sums;
}

/* Slopes of all call paths: by the samples of each stretch. Stretches without samples have
 * e_i = 0. */
static void find_slopes(struct fm_pools *pools, const struct length_sums *sums)
{
    const double unit = sums->ticks / sums->weight;
    double whole = 0, spread = 0; /* sums over the samples: u g (1 - C0 / C), and its square */
    for (size_t i = 0; i < pools->sampled.count; i++) {
        const uint64_t ticks = pools->sampled.items[i].ticks;
        const struct fm_stretch *stretch =
            &pools->stretches->items.items[pools->sampled.items[i].stretch];
        for (uint32_t s = 0; s < stretch->sample_count && ticks != 0; s++) {
            const struct fm_stack_sample *sample =
                &pools->stretches->samples.items[stretch->first_sample + s];
            const double part = unit * sample->weight * deviation(pools, ticks);
            pools->paths.items[fm_map_get(&pools->path_of_visit, sample->visit)].slope += part;
            whole += part;
            spread += part * part;
        }
    }
    for (size_t c = 0; c < pools->paths.count; c++) {
        struct fm_pooled_path *path = &pools->paths.items[c];
        const double p = path->whole_weight / sums->weight;
        const double slope = (path->slope - p * whole) / sums->square;
        const double variance = p * (1 - p) * spread / (sums->square * sums->square);
        path->slope = slope * slope > 4 * variance ? slope - 4 * variance / slope : 0;
    }
}

static void correct(struct fm_pools *pools, const struct fm_sized *members, size_t count)
{
    struct length_sums sums = sum_lengths(pools, members, count);
    pools->is_corrected = sums.samples >= FM_POOL_SAMPLES && !sums.is_equal && sums.weight > 0;
    if (!pools->is_corrected) {
        return;
    }
    pools->common = (double)sums.count / sums.inverse;
    for (size_t i = 0; i < count; i++) {
        const uint64_t ticks = members[i].ticks;
        if (ticks != 0) {
            const double difference = (double)ticks - pools->common;
            sums.square += difference * difference / (double)ticks;
        }
    }
    find_slopes(pools, &sums);
}

void fm_pools_begin(struct fm_pools *pools, const struct fm_stretches *stretches,
                    const struct fm_sized *members, size_t count)
{
    pools->stretches = stretches;
    pools->sampled.count = pools->paths.count = pools->active.count = pools->added.count = 0;
    pools->first = pools->end = pools->low = pools->high = 0;
    pools->count = 0;
    pools->weight = pools->deviation = 0;
    fm_map_clear(&pools->path_of_visit);
    for (size_t i = 0; i < count; i++) {
        const struct fm_stretch *stretch = &stretches->items.items[members[i].stretch];
        if (stretch->sample_count != 0) {
            fm_vector_push(&pools->sampled, members[i]);
            note_whole(pools, stretch);
        }
    }
    correct(pools, members, count);
}

/* ---- compositions ---- */

static bool is_like(uint64_t ticks, uint64_t own)
{
    const uint64_t difference = ticks > own ? ticks - own : own - ticks;
    return difference <= own / LIKE;
}

/* Moves the window to the stretches with nearly so many ticks. */
static void move(struct fm_pools *pools, uint64_t ticks)
{
    const struct fm_sized *sampled = pools->sampled.items;
    while (pools->end < pools->sampled.count &&
           (sampled[pools->end].ticks <= ticks || is_like(sampled[pools->end].ticks, ticks))) {
        count_stretch(pools, sampled[pools->end++].stretch, true);
    }
    while (pools->first < pools->end && !is_like(sampled[pools->first].ticks, ticks)) {
        count_stretch(pools, sampled[pools->first++].stretch, false);
    }
}

/* Adds the stretches nearest in length until there are enough samples. */
static void extend(struct fm_pools *pools, uint64_t ticks)
{
    struct fm_nearest nearest = fm_nearest_begin(pools->sampled.items, 0, pools->sampled.count,
                                                 pools->first, pools->end, ticks);
    const struct fm_sized *next;
    pools->low = pools->first;
    pools->high = pools->end;
    while (pools->count < FM_POOL_SAMPLES && (next = fm_nearest_next(&nearest)) != NULL) {
        const size_t at = (size_t)(next - pools->sampled.items);
        pools->low = at < pools->low ? at : pools->low;
        pools->high = at >= pools->high ? at + 1 : pools->high;
        fm_vector_push(&pools->added, next->stretch);
        count_stretch(pools, next->stretch, true);
    }
}

/* Adds the part of a call path, which its correction may have made negative. */
static void add_share(const struct fm_pools *pools, uint32_t row, double deviates, double *sum,
                      fm_shares *shares)
{
    const struct fm_pooled_path *path = &pools->paths.items[row];
    const double share = path->weight / pools->weight + path->slope * deviates;
    if (share <= 0) {
        return;
    }
    const bool is_pooled = path->count != 0;
    fm_vector_push(
        shares,
        (struct fm_share){share,
                          is_pooled ? (double)path->positions / (double)path->count
                                    : (double)path->whole_positions / (double)path->whole_count,
                          path->visit, (uint32_t)path->count});
    *sum += share;
}

void fm_pools_shares(struct fm_pools *pools, uint64_t ticks, fm_shares *shares)
{
    shares->count = 0;
    if (pools->sampled.count == 0) {
        return;
    }
    move(pools, ticks);
    extend(pools, ticks);
    double sum = 0;
    if (pools->weight > 0) {
        const double deviates =
            pools->is_corrected ? deviation(pools, ticks) - pools->deviation / pools->weight : 0;
        for (size_t i = 0; i < pools->active.count; i++) {
            add_share(pools, pools->active.items[i], deviates, &sum, shares);
        }
        for (uint32_t row = 0; row < pools->paths.count && pools->is_corrected; row++) {
            if (pools->paths.items[row].count == 0) {
                add_share(pools, row, deviates, &sum, shares);
            }
        }
    }
    for (size_t i = 0; i < shares->count; i++) {
        shares->items[i].share /= sum;
    }
    while (pools->added.count > 0) {
        count_stretch(pools, pools->added.items[--pools->added.count], false);
    }
}

void fm_pools_free(struct fm_pools *pools)
{
    fm_vector_free(&pools->sampled);
    fm_vector_free(&pools->paths);
    fm_vector_free(&pools->active);
    fm_vector_free(&pools->added);
    fm_map_free(&pools->path_of_visit);
}
