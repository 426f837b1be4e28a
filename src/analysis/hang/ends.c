/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/hang/ends.h"

bool fm_location_ends_inside_call(const struct fm_analysis *analysis, uint32_t location)
{
    const struct fm_trace *trace = analysis->trace;
    const struct fm_location *l = &trace->locations[location];
    if (l->is_incomplete || trace->processes[l->process].has_ended) {
        return false;
    }
    for (size_t i = 0; i < l->open.count; i++) {
        const uint32_t region = l->profile.items[l->open.items[i].visit].region;
        if (analysis->own_metrics[region] != FM_METRIC_COMP) {
            return true;
        }
    }
    return false;
}

uint32_t fm_ends_inside_calls(const struct fm_analysis *analysis)
{
    const struct fm_trace *trace = analysis->trace;
    uint32_t first, last;
    uint64_t count = 0;
    fm_engine_own(analysis->engine, &first, &last);
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        count += fm_location_ends_inside_call(analysis, l);
    }
    fm_team_sum(analysis->team, &count, 1);
    return (uint32_t)count;
}
