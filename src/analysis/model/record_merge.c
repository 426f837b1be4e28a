/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/model/record_merge.h"

#include "base/memory.h"

void fm_record_merge_begin(struct fm_record_merge *merge, const struct fm_trace *trace,
                           uint32_t process, size_t (*count)(const struct fm_location *),
                           uint32_t (*activity)(const struct fm_location *, uint32_t))
{
    *merge = (struct fm_record_merge){
        .trace = trace,
        .first_location = trace->processes[process].first_location,
        .location_count = trace->processes[process].location_count,
        .count = count,
        .activity = activity,
    };
    if (merge->location_count == 1) {
        merge->only_end = (uint32_t)count(&trace->locations[merge->first_location]);
    } else {
        merge->next = fm_allocate(merge->location_count, sizeof *merge->next);
    }
}

bool fm_record_merge_earliest(struct fm_record_merge *merge, struct fm_record_ref *record)
{
    uint64_t earliest = UINT64_MAX;
    uint32_t chosen = FM_NONE;
    for (uint32_t i = 0; i < merge->location_count; ++i) {
        const struct fm_location *location = &merge->trace->locations[merge->first_location + i];
        if (merge->next[i] >= merge->count(location)) {
            continue;
        }
        uint64_t time = location->enter.items[merge->activity(location, merge->next[i])];
        if (chosen == FM_NONE || time < earliest) {
            earliest = time;
            chosen = i;
        }
    }
    if (chosen == FM_NONE) {
        fm_free(merge->next);
        merge->next = NULL;
        return false;
    }
    *record = (struct fm_record_ref){merge->first_location + chosen, merge->next[chosen]++};
    return true;
}
