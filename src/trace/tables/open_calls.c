/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions that were never left last to the end of their process. */
#include "trace/tables/trace.h"

#include <string.h>

/* @return whether a location never left some call of communication or synchronization */
static bool has_open_call(const struct fm_trace *trace, const struct fm_location *location)
{
    for (size_t i = 0; i < location->open.count; i++) {
        const uint32_t region = location->profile.items[location->open.items[i].visit].region;
        if (!trace->regions[region].is_computation) {
            return true;
        }
    }
    return false;
}

bool fm_trace_is_open(const struct fm_location *location, uint32_t activity)
{
    for (size_t i = 0; i < location->open.count; i++) {
        if (location->open.items[i].activity == activity) {
            return true;
        }
    }
    return false;
}

uint32_t fm_trace_last_call(const struct fm_trace *trace, uint32_t location)
{
    const struct fm_location *l = &trace->locations[location];
    return l->open.count == 0 || l->is_incomplete || trace->processes[l->process].has_ended
               ? FM_NONE
               : l->open.items[l->open.count - 1].activity;
}

uint64_t fm_trace_latest(const struct fm_trace *trace, uint32_t first, uint32_t last)
{
    uint64_t latest = 0;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        const struct fm_location *location = &trace->locations[l];
        if (location->event_count != 0 && location->end > latest) {
            latest = location->end;
        }
        if (location->lasts_to != UINT64_MAX && location->lasts_to > latest) {
            latest = location->lasts_to;
        }
    }
    return latest;
}

/* @return whether a location has left a call that finalizes a library */
static bool has_finalized(const struct fm_trace *trace, const struct fm_location *location)
{
    for (size_t a = location->enter.count; a-- > 0;) {
        if (fm_trace_called(trace, location, (uint32_t)a)->call == FM_CALL_FINALIZE &&
            !fm_trace_is_open(location, (uint32_t)a)) {
            return true;
        }
    }
    return false;
}

/* Adds time that is not an activity's own. */
static void add_nested(struct fm_location *location, uint32_t activity, uint64_t ticks)
{
    size_t at = location->nested.count;
    while (at > 0 && location->nested.items[at - 1].activity > activity) {
        at--;
    }
    if (at > 0 && location->nested.items[at - 1].activity == activity) {
        location->nested.items[at - 1].ticks += ticks;
        return;
    }
    const struct fm_nested_time nested = {activity, ticks};
    fm_vector_push(&location->nested, nested);
    struct fm_nested_time *items = location->nested.items;
    memmove(&items[at + 1], &items[at], (location->nested.count - 1 - at) * sizeof *items);
    items[at] = nested;
}

static void last_longer(struct fm_location *location, uint64_t end)
{
    const uint64_t more = end > location->end ? end - location->end : 0;
    const size_t innermost = location->open.count - 1;
    if (more == 0) {
        return;
    }
    location->end = end;
    location->profile.items[location->open.items[innermost].visit].time += more;
    location->open.items[innermost].own += more;
    for (size_t i = 0; i <= innermost; i++) {
        const struct fm_unleft_region *open = &location->open.items[i];
        if (open->phase != FM_NONE) {
            struct fm_phase *phase = &location->phases.items[open->phase];
            phase->end = end;
            phase->computation += location->open.items[innermost].is_computation ? more : 0;
        }
        if (open->activity != FM_NONE) {
            location->leave.items[open->activity] = end;
            if (i < innermost) {
                add_nested(location, open->activity, more);
            }
        }
    }
    for (size_t i = 1; i <= location->open_states; i++) {
        location->state_since.items[location->state_since.count - i] = end;
    }
}

/* @return the latest time of the events of a process */
static uint64_t last_event_of(const struct fm_trace *trace, const struct fm_process *process)
{
    uint64_t last = 0;
    for (uint32_t l = 0; l < process->location_count; l++) {
        const struct fm_location *location = &trace->locations[process->first_location + l];
        if (location->event_count != 0 && location->last_event > last) {
            last = location->last_event;
        }
    }
    return last;
}

static void end_process(struct fm_trace *trace, struct fm_process *process, uint64_t latest)
{
    struct fm_location *locations = &trace->locations[process->first_location];
    bool is_open = false;
    for (uint32_t l = 0; l < process->location_count; l++) {
        is_open |= locations[l].open.count != 0;
    }
    if (!is_open) {
        return;
    }
    for (uint32_t l = 0; process->heartbeat == UINT64_MAX && l < process->location_count; l++) {
        process->has_ended |= has_finalized(trace, &locations[l]);
    }
    const uint64_t last = last_event_of(trace, process);
    for (uint32_t l = 0; l < process->location_count; l++) {
        struct fm_location *location = &locations[l];
        if (location->open.count == 0 || location->is_incomplete) {
            continue;
        }
        if (!process->has_ended) {
            last_longer(location, location->lasts_to != UINT64_MAX ? location->lasts_to : latest);
        } else if (has_open_call(trace, location)) {
            last_longer(location, last);
        }
    }
}

void fm_trace_end_open_calls(struct fm_trace *trace, uint32_t first, uint32_t last, uint64_t latest)
{
    for (uint32_t p = first; p < last; p++) {
        end_process(trace, &trace->processes[p], latest);
    }
}
