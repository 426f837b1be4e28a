/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/composition/placement.h"

#include <math.h>
#include <string.h>

/* Half a tick and what is so near to it is rounded up: rounding errors of sums do not matter. */
#define ROUNDED_UP (0.5 + 1e-6)

/* The order of call paths: by their names from the innermost on. */
static int compare_paths(const struct fm_trace *trace, const struct fm_location *location,
                         uint32_t one, uint32_t other)
{
    const struct fm_visit_profile *profile = location->profile.items;
    int order = 0;
    while (order == 0 && one != other) {
        if (one == FM_NONE || other == FM_NONE) {
            return one == FM_NONE ? -1 : 1;
        }
        order = strcmp(trace->regions[profile[one].region].name,
                       trace->regions[profile[other].region].name);
        one = profile[one].parent;
        other = profile[other].parent;
    }
    return order;
}

/* Whether one part stands before another one. */
static bool is_before(const struct fm_trace *trace, const struct fm_location *location,
                      const struct fm_placed *one, const struct fm_placed *other)
{
    return one->position != other->position
               ? one->position < other->position
               : compare_paths(trace, location, one->visit, other->visit) < 0;
}

/* By insertion: own samples ascend already, and there are few call paths. */
static void sort(struct fm_placement *placement, const struct fm_trace *trace,
                 const struct fm_location *location)
{
    for (size_t i = 1; i < placement->placed.count; i++) {
        const struct fm_placed moved = placement->placed.items[i];
        size_t at = i;
        for (; at > 0 && is_before(trace, location, &moved, &placement->placed.items[at - 1]);
             at--) {
            placement->placed.items[at] = placement->placed.items[at - 1];
        }
        placement->placed.items[at] = moved;
    }
}

static void collect(struct fm_placement *placement, const struct fm_stretches *stretches,
                    const struct fm_stretch *stretch, const fm_shares *shares)
{
    placement->placed.count = 0;
    fm_map_clear(&placement->counts);
    fm_map_clear(&placement->shares);
    const struct fm_stack_sample *own = stretches->samples.items + stretch->first_sample;
    for (uint32_t i = 0; i < stretch->sample_count; i++) {
        ++*fm_map_at(&placement->counts, own[i].visit, 0);
    }
    for (size_t i = 0; i < shares->count; i++) {
        const struct fm_share *share = &shares->items[i];
        if (fm_map_get(&placement->counts, share->visit) == FM_MAP_ABSENT) {
            fm_vector_push(&placement->placed,
                           (struct fm_placed){share->position, share->share, share->visit});
        } else {
            fm_map_at(&placement->shares, share->visit, (uint32_t)i);
        }
    }
    for (uint32_t i = 0; i < stretch->sample_count; i++) {
        const uint32_t row = fm_map_get(&placement->shares, own[i].visit);
        if (row != FM_MAP_ABSENT) {
            fm_vector_push(&placement->placed,
                           (struct fm_placed){(double)fm_sample_position(stretch, &own[i]),
                                              shares->items[row].share /
                                                  fm_map_get(&placement->counts, own[i].visit),
                                              own[i].visit});
        }
    }
}

void fm_place(struct fm_placement *placement, const struct fm_trace *trace,
              const struct fm_location *location, const struct fm_stretches *stretches,
              const struct fm_stretch *stretch, const fm_shares *shares, fm_composed_parts *parts)
{
    const uint64_t ticks = fm_stretch_ready(stretch);
    collect(placement, stretches, stretch, shares);
    sort(placement, trace, location);
    double sum = 0;
    uint64_t before = 0;
    for (size_t i = 0; i < placement->placed.count; i++) {
        sum += placement->placed.items[i].share;
        const double place = floor(sum * (double)ticks + ROUNDED_UP);
        const bool is_last = i + 1 == placement->placed.count;
        /* Compared as they are: damaged archives have stretches of nearly 2^64 ticks. */
        const uint64_t end = is_last || place >= (double)ticks ? ticks : (uint64_t)place;
        if (end > before) {
            fm_vector_push(
                parts, (struct fm_composed_part){end - before, placement->placed.items[i].visit});
        }
        before = end;
    }
}

void fm_placement_free(struct fm_placement *placement)
{
    fm_vector_free(&placement->placed);
    fm_map_free(&placement->counts);
    fm_map_free(&placement->shares);
}
