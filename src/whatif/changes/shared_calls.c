/* SPDX-License-Identifier: BSD-3-Clause */
#include "whatif/changes/shared_calls.h"

static bool is_shared(enum fm_shared_calls calls, fm_call_t call)
{
    switch (call) {
    case FM_CALL_BARRIER:
    case FM_CALL_ALL_TO_ALL:
    case FM_CALL_ONE_TO_ALL:
    case FM_CALL_ALL_TO_ONE:
    case FM_CALL_SCAN:
    case FM_CALL_FENCE:
        return calls == FM_SHARED_BY_ALL || calls == FM_SHARED_BY_PROCESSES;
    case FM_CALL_TEAM_BARRIER:
    case FM_CALL_THREAD_BARRIER:
        return calls == FM_SHARED_BY_ALL || calls == FM_SHARED_BY_THREADS;
    default:
        return false;
    }
}

/* @return the number of parts but one */
static uint64_t count_calls(const struct fm_trace *trace, uint32_t location,
                            enum fm_shared_calls calls)
{
    struct fm_shared_walk walk;
    fm_shared_walk_begin(&walk, trace, location, calls);
    return fm_shared_walk_at(&walk, UINT64_MAX);
}

enum fm_shared_calls fm_shared_calls_choose(const struct fm_trace *trace, const bool *locations)
{
    for (enum fm_shared_calls calls = FM_SHARED_BY_ALL; calls < FM_SHARED_BY_NONE; calls++) {
        uint64_t count = 0;
        bool are_equal = true, is_first = true;
        for (uint32_t l = 0; l < trace->location_count && are_equal; l++) {
            if (locations[l]) {
                const uint64_t own = count_calls(trace, l, calls);
                are_equal = is_first || own == count;
                is_first = false;
                count = own;
            }
        }
        if (are_equal && count > 0) {
            return calls;
        }
    }
    return FM_SHARED_BY_NONE;
}

void fm_shared_walk_begin(struct fm_shared_walk *walk, const struct fm_trace *trace,
                          uint32_t location, enum fm_shared_calls calls)
{
    *walk = (struct fm_shared_walk){
        .trace = trace, .location = &trace->locations[location], .calls = calls};
}

uint64_t fm_shared_walk_at(struct fm_shared_walk *walk, uint64_t time)
{
    const struct fm_location *location = walk->location;
    for (; walk->activity < location->enter.count && location->enter.items[walk->activity] <= time;
         walk->activity++) {
        const uint32_t visit = location->visit.items[walk->activity];
        const uint32_t region = location->profile.items[visit].region;
        walk->part += is_shared(walk->calls, walk->trace->regions[region].call);
    }
    return walk->part;
}
