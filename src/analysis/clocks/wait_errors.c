/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/clocks/wait_errors.h"

#include "base/memory.h"
#include "engine/team/team.h"
#include "trace/tables/nodes.h"

/* The processes of the analysis in their order have the locations in their order. */
static void share_readings(struct fm_wait_errors *errors)
{
    const struct fm_trace *trace = errors->analysis->trace;
    FM_VECTOR(struct fm_call_reading) own = {0};
    for (uint32_t l = 0; l < trace->location_count; l++) {
        const struct fm_location *location = &trace->locations[l];
        for (size_t i = 0; i < location->readings.count; i++) {
            const struct fm_reading_time *reading = &location->readings.items[i];
            fm_vector_push(&own, (struct fm_call_reading){reading->ticks, {l, reading->activity}});
        }
    }
    fm_team_share_vector(errors->analysis->team, &own, &errors->readings);
    fm_vector_free(&own);
}

/* @return how long processor times were read before a call. O(log readings) */
static uint64_t reading_before(const struct fm_wait_errors *errors, struct fm_call_ref call)
{
    const struct fm_call_reading *readings = errors->readings.items;
    const size_t count = errors->readings.count;
    const size_t place =
        count == 0 ? 0 : fm_count_calls_before(&readings->call, count, sizeof *readings, call);
    return place < count && fm_same_call(readings[place].call, call) ? readings[place].ticks : 0;
}

/* @return what recording costs that makes `events` in `time`: two of them are a call */
static uint64_t recording_cost(const struct fm_analysis *analysis, uint64_t events, uint64_t time)
{
    const unsigned __int128 cost = (unsigned __int128)(events / 2) * analysis->errors.call;
    return cost < time ? (uint64_t)cost : time;
}

struct fm_wait_errors *fm_wait_errors_create(const struct fm_analysis *analysis)
{
    const struct fm_trace *trace = analysis->trace;
    if (!analysis->errors.are_known) {
        return NULL;
    }
    struct fm_wait_errors *errors = fm_allocate(1, sizeof *errors);
    uint64_t events = 0;
    *errors = (struct fm_wait_errors){.analysis = analysis};
    for (uint32_t l = 0; l < trace->location_count; l++) {
        const struct fm_location *location = &trace->locations[l];
        if (location->begin <= location->end) {
            errors->time += location->end - location->begin;
            events += location->event_count;
        }
    }
    errors->recording = recording_cost(analysis, events, errors->time);
    if (analysis->errors.clock != 0) {
        errors->node_of = fm_number_nodes(trace);
    }
    share_readings(errors);
    return errors;
}

void fm_wait_errors_free(struct fm_wait_errors *errors)
{
    if (errors != NULL) {
        fm_free(errors->node_of);
        fm_vector_free(&errors->readings);
        fm_free(errors);
    }
}

/* @return what the clocks of two locations may differ */
static uint64_t clock_error(const struct fm_wait_errors *errors, uint32_t location, uint32_t cause)
{
    const struct fm_analysis *analysis = errors->analysis;
    if (errors->node_of == NULL) {
        return 0;
    }
    if (cause == FM_NONE) {
        return analysis->errors.clock;
    }
    const uint32_t one = fm_trace_process(analysis->trace, location);
    const uint32_t other = fm_trace_process(analysis->trace, cause);
    const bool is_one_clock = one == other || (!analysis->has_single_clocks &&
                                               errors->node_of[one] == errors->node_of[other]);
    return is_one_clock ? 0 : analysis->errors.clock;
}

uint64_t fm_turn_error(const struct fm_wait_errors *errors, uint32_t location, uint32_t cause)
{
    return errors == NULL
               ? 0
               : 1 + 2 * errors->analysis->errors.call + clock_error(errors, location, cause);
}

uint64_t fm_wait_error(const struct fm_wait_errors *errors, struct fm_call_ref waiting,
                       struct fm_call_ref cause, uint64_t wait)
{
    if (errors == NULL) {
        return 0;
    }
    const uint64_t recording =
        errors->time == 0 ? 0
                          : (uint64_t)((unsigned __int128)wait * errors->recording / errors->time);
    return fm_turn_error(errors, waiting.location, cause.location) + recording +
           reading_before(errors, waiting) + reading_before(errors, cause);
}

struct fm_recorder_time fm_recorder_time(const struct fm_wait_errors *errors)
{
    if (errors == NULL) {
        return (struct fm_recorder_time){0};
    }
    const struct fm_analysis *analysis = errors->analysis;
    struct fm_recorder_time recorder = {.all = errors->recording, .of = errors->time};
    size_t reading = 0;
    for (uint32_t l = 0; l < analysis->trace->location_count; l++) {
        const struct fm_location *location = &analysis->trace->locations[l];
        uint64_t own = 0, readings = 0;
        if (location->begin <= location->end) {
            own = recording_cost(analysis, location->event_count, location->end - location->begin);
        }
        for (;
             reading < errors->readings.count && errors->readings.items[reading].call.location == l;
             reading++) {
            readings += errors->readings.items[reading].ticks;
        }
        recorder.all += readings;
        recorder.largest = own + readings > recorder.largest ? own + readings : recorder.largest;
    }
    return recorder;
}
