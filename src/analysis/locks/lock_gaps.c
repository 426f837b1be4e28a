/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/locks/lock_gaps.h"

/* @return the first thread of a process that has events; FM_NONE: none has */
static uint32_t main_thread(const struct fm_trace *trace, uint32_t process)
{
    const uint32_t end = fm_trace_first_location(trace, process + 1);
    uint32_t location = fm_trace_first_location(trace, process);
    while (location < end && trace->locations[location].profile.count == 0) {
        location++;
    }
    return location < end ? location : FM_NONE;
}

void fm_lock_gap_divide(struct fm_partner_calls *calls, const struct fm_trace *trace,
                        const struct fm_lock_gap *gap,
                        void (*take)(void *context, uint32_t location, uint64_t from, uint64_t to),
                        void *context)
{
    for (uint64_t time = gap->from, end; time < gap->to; time = end) {
        const struct fm_partner_state state =
            fm_partner_calls_find(calls, gap->target, (uint8_t)gap->paradigm, time, gap->to);
        uint32_t location = FM_NONE;
        if (!fm_partner_is_outside(&state, time)) {
            end = state.leave;
        } else {
            end = state.enter;
            location = state.call.activity != FM_NONE ? state.call.location
                                                      : main_thread(trace, gap->target);
        }
        end = end < gap->to ? end : gap->to;
        take(context, location, time, end);
    }
}
