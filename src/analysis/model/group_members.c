/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/model/group_members.h"

#include "base/containers/sort.h"

static int compare_processes(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return left < right ? -1 : left > right;
}

static void list_members(struct fm_group_members *members, const struct fm_group *group)
{
    size_t first = members->processes.count;
    for (uint32_t i = 0; i < group->size; ++i) {
        if (group->processes[i] != FM_NONE) {
            fm_vector_push(&members->processes, group->processes[i]);
        }
    }
    uint32_t *listed = members->processes.items + first;
    size_t count = members->processes.count - first, kept = 0;
    fm_sort(listed, count, sizeof *listed, compare_processes);
    for (size_t i = 0; i < count; ++i) {
        if (kept == 0 || listed[i] != listed[kept - 1]) {
            listed[kept++] = listed[i];
        }
    }
    members->processes.count = first + kept;
    fm_vector_push(&members->ranges, (struct fm_member_range){first, (uint32_t)kept});
}

const uint32_t *fm_group_members_of(struct fm_group_members *members, const struct fm_trace *trace,
                                    uint32_t group, uint32_t *count)
{
    *count = 0;
    if (group == FM_NONE) {
        return NULL;
    }
    uint32_t next = (uint32_t)members->ranges.count;
    uint32_t index = *fm_map_at(&members->range_of_group, group, next);
    if (index == next) {
        list_members(members, &trace->groups[group]);
    }
    const struct fm_member_range *range = &members->ranges.items[index];
    *count = range->count;
    return members->processes.items + range->first;
}

void fm_group_members_free(struct fm_group_members *members)
{
    fm_map_free(&members->range_of_group);
    fm_vector_free(&members->ranges);
    fm_vector_free(&members->processes);
}
