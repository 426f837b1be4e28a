/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/samples/exact_visits.h"

#include "base/containers/search.h"

static bool is_recorded(const struct fm_trace *trace, const struct fm_visit_profile *profile)
{
    const struct fm_region *region = &trace->regions[profile->region];
    return region->paradigm == FM_PARADIGM_USER && region->call == FM_CALL_USER &&
           !region->is_estimated && !region->is_library;
}

/* Counts what a change from one node to another enters. A thread that was in none before may have
 * joined a team: it has not entered the functions that its master is in. */
static void count_change(struct fm_exact_visits *visits, const struct fm_trace *trace,
                         const struct fm_location *location, uint32_t from, uint32_t to)
{
    const struct fm_visit_profile *profile = location->profile.items;
    for (uint32_t v = to; v != FM_NONE && !fm_visit_contains(location, v, from);
         v = from == FM_NONE ? FM_NONE : profile[v].parent) {
        if (!is_recorded(trace, &profile[v])) {
            continue;
        }
        const uint32_t next = (uint32_t)visits->items.count;
        const uint32_t row = *fm_map_at(&visits->row_of, v, next);
        if (row == next) {
            fm_vector_push(&visits->items, (struct fm_visit_count){.visit = v});
        }
        visits->items.items[row].count++;
    }
}

void fm_exact_visits_count(struct fm_exact_visits *visits, const struct fm_trace *trace,
                           const struct fm_location *location,
                           const struct fm_counted_interval *intervals, size_t count)
{
    visits->items.count = 0;
    fm_map_clear(&visits->row_of);
    for (size_t i = 0; i < count; ++i) {
        for (size_t s = fm_count_below(location->state_since.items, location->state_since.count,
                                       sizeof *location->state_since.items, intervals[i].begin);
             s < location->state_since.count && location->state_since.items[s] < intervals[i].end;
             ++s) {
            count_change(visits, trace, location,
                         s == 0 ? FM_NONE : location->state_visit.items[s - 1],
                         location->state_visit.items[s]);
        }
    }
}

void fm_exact_visits_free(struct fm_exact_visits *visits)
{
    fm_vector_free(&visits->items);
    fm_map_free(&visits->row_of);
}
