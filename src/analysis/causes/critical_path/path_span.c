/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/causes/critical_path/path_span.h"

uint32_t fm_last_call(const struct fm_trace *trace, const struct fm_location *location,
                      fm_call_t call)
{
    for (size_t a = location->enter.count; a-- > 0;) {
        if (fm_trace_called(trace, location, (uint32_t)a)->call == call) {
            return (uint32_t)a;
        }
    }
    return FM_NONE;
}

/* @return the location's first call of this class, FM_NONE: there is none */
static uint32_t first_call(const struct fm_trace *trace, const struct fm_location *location,
                           fm_call_t call)
{
    for (uint32_t a = 0; a < location->enter.count; ++a) {
        if (fm_trace_called(trace, location, a)->call == call) {
            return a;
        }
    }
    return FM_NONE;
}

/* @return the span from the first Enter of Init in the location's process to the last Leave of
 * Finalize in it */
static struct fm_path_span from_init_to_finalize(const struct fm_trace *trace,
                                                 const struct fm_location *location)
{
    const struct fm_process *process = &trace->processes[location->process];
    struct fm_path_span span = {UINT64_MAX, 0};
    for (uint32_t i = 0; i < process->location_count; ++i) {
        const struct fm_location *member = &trace->locations[process->first_location + i];
        uint32_t init = first_call(trace, member, FM_CALL_INIT);
        uint32_t finalize = fm_last_call(trace, member, FM_CALL_FINALIZE);
        if (init != FM_NONE && member->enter.items[init] < span.begin) {
            span.begin = member->enter.items[init];
        }
        if (finalize != FM_NONE && member->leave.items[finalize] > span.end) {
            span.end = member->leave.items[finalize];
        }
    }
    /* A process whose trace is truncated has no Finalize, and a thread may begin after Init. */
    if (span.begin == UINT64_MAX || span.begin < location->begin) {
        span.begin = location->begin;
    }
    if (span.end == 0 || span.end > location->end) {
        span.end = location->end;
    }
    return span;
}

struct fm_path_span *fm_path_spans(const struct fm_analysis *analysis)
{
    const struct fm_trace *trace = analysis->trace;
    struct fm_path_span *spans = fm_allocate(trace->location_count, sizeof *spans);
    uint32_t first, last;
    fm_engine_own(analysis->engine, &first, &last);
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        spans[l] = from_init_to_finalize(trace, &trace->locations[l]);
    }
    return spans;
}
