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
