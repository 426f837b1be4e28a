/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Which call of which location. */
#ifndef FERMATA_ANALYSIS_MODEL_CALL_REF_H
#define FERMATA_ANALYSIS_MODEL_CALL_REF_H

#include "trace/tables/trace.h"

/** A call: activity of a location. activity == FM_NONE: the call is missing in the trace. */
struct fm_call_ref {
    uint32_t location;
    uint32_t activity;
};

static inline bool fm_same_call(struct fm_call_ref a, struct fm_call_ref b)
{
    return a.activity == b.activity && a.location == b.location;
}

/** @return < 0, 0, > 0: the order of two calls, by location and activity. */
static inline int fm_compare_calls(struct fm_call_ref a, struct fm_call_ref b)
{
    if (a.location != b.location) {
        return a.location < b.location ? -1 : 1;
    }
    return a.activity < b.activity ? -1 : a.activity > b.activity;
}

/** @return how many elements of a list in the order of their calls have a call before `call`
 * @param first   call of the first element; not read if there is none
 * @param stride  bytes from one element to the next */
static inline size_t fm_count_calls_before(const struct fm_call_ref *first, size_t count,
                                           size_t stride, struct fm_call_ref call)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const char *at = (const char *)first + middle * stride;
        if (fm_compare_calls(*(const struct fm_call_ref *)at, call) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/** @return when a call was entered, which must not be missing. */
static inline uint64_t fm_call_enter(const struct fm_trace *trace, struct fm_call_ref call)
{
    return trace->locations[call.location].enter.items[call.activity];
}

/** @return the begin of a call (fm_trace_begin()), which must not be missing. */
static inline uint64_t fm_call_begin(const struct fm_trace *trace, struct fm_call_ref call)
{
    return fm_trace_begin(&trace->locations[call.location], call.activity);
}

/** @return when a call was left, which must not be missing. */
static inline uint64_t fm_call_leave(const struct fm_trace *trace, struct fm_call_ref call)
{
    return trace->locations[call.location].leave.items[call.activity];
}

#endif
