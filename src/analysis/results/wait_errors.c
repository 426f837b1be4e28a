#include "analysis/results/wait_errors.h"

#include "base/memory.h"
#include "engine/team/team.h"

#include <string.h>

/* @return [process]: a number that processes of one node share. O(processes * nodes) */
static uint32_t *number_nodes(const struct fm_trace *trace)
{
    uint32_t *node_of = fm_allocate(trace->process_count, sizeof *node_of);
    FM_VECTOR(const char *) nodes = {0};
    for (uint32_t p = 0; p < trace->process_count; p++) {
        const char *node = trace->processes[p].node;
        uint32_t number = 0;
        while (number < nodes.count && strcmp(nodes.items[number], node) != 0) {
            number++;
        }
        if (number == nodes.count) {
            fm_vector_push(&nodes, node);
        }
        node_of[p] = number;
    }
    fm_vector_free(&nodes);
    return node_of;
}

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
    size_t low = 0, high = errors->readings.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct fm_call_ref at = errors->readings.items[middle].call;
        if (at.location < call.location ||
            (at.location == call.location && at.activity < call.activity)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < errors->readings.count && fm_same_call(errors->readings.items[low].call, call)
               ? errors->readings.items[low].ticks
               : 0;
}

struct fm_wait_errors fm_wait_errors_open(const struct fm_analysis *analysis)
{
    const struct fm_trace *trace = analysis->trace;
    struct fm_wait_errors errors = {.analysis = analysis};
    uint64_t events = 0;
    if (!analysis->errors.are_known) {
        return errors;
    }
    for (uint32_t l = 0; l < trace->location_count; l++) {
        const struct fm_location *location = &trace->locations[l];
        if (location->begin <= location->end) {
            errors.time += location->end - location->begin;
            events += location->event_count;
        }
    }
    const unsigned __int128 recording = (unsigned __int128)events / 2 * analysis->errors.call;
    errors.recording = recording < errors.time ? (uint64_t)recording : errors.time;
    if (analysis->errors.clock != 0) {
        errors.node_of = number_nodes(trace);
    }
    share_readings(&errors);
    return errors;
}

void fm_wait_errors_close(struct fm_wait_errors *errors)
{
    fm_free(errors->node_of);
    fm_vector_free(&errors->readings);
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

uint64_t fm_wait_error(const struct fm_wait_errors *errors, struct fm_call_ref waiting,
                       struct fm_call_ref cause, uint64_t wait)
{
    if (!errors->analysis->errors.are_known) {
        return 0;
    }
    const uint64_t recording =
        errors->time == 0 ? 0
                          : (uint64_t)((unsigned __int128)wait * errors->recording / errors->time);
    return 1 + 2 * errors->analysis->errors.call + recording +
           clock_error(errors, waiting.location, cause.location) + reading_before(errors, waiting) +
           reading_before(errors, cause);
}

uint64_t fm_computation_error(const struct fm_wait_errors *errors)
{
    uint64_t error = errors->recording;
    for (size_t i = 0; i < errors->readings.count; i++) {
        error += errors->readings.items[i].ticks;
    }
    return error;
}
