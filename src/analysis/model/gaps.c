/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/model/gaps.h"

#include "base/containers/sort.h"

static int compare_times(const void *a, const void *b)
{
    const struct fm_unrecorded *left = a, *right = b;
    return left->time < right->time ? -1 : left->time > right->time;
}

bool fm_gaps_exist(struct fm_team *team, const struct fm_trace *trace)
{
    uint64_t gaps = 0;
    for (uint32_t i = 0; i < trace->location_count; ++i) {
        gaps += trace->locations[i].unrecorded.count; /* 0 for those of other processes */
    }
    return fm_team_largest(team, gaps) != 0;
}

void fm_gaps_begin(struct fm_gaps *gaps, const struct fm_trace *trace, uint32_t process)
{
    const struct fm_process *p = &trace->processes[process];
    gaps->items.count = 0;
    gaps->next = 0;
    for (uint32_t l = p->first_location; l < p->first_location + p->location_count; ++l) {
        const struct fm_location *location = &trace->locations[l];
        for (size_t i = 0; i < location->unrecorded.count; ++i) {
            fm_vector_push(&gaps->items, location->unrecorded.items[i]);
        }
    }
    if (p->location_count > 1) {
        fm_sort(gaps->items.items, gaps->items.count, sizeof *gaps->items.items, compare_times);
    }
}

void fm_gaps_free(struct fm_gaps *gaps)
{
    fm_vector_free(&gaps->items);
    gaps->next = 0;
}
