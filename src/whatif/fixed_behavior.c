/* SPDX-License-Identifier: BSD-3-Clause */
#include "whatif/fixed_behavior.h"

#include "analysis/dependencies/dependencies.h"

#define CALL(call) ((uint64_t)1 << FM_CALL_##call)

/* Kinds of calls that wait for something that is known only if it came while they waited. */
static const uint64_t awakened_calls = CALL(CONDITION_WAIT) | CALL(SEMAPHORE_WAIT) |
                                       CALL(WAIT_UNTIL) | CALL(EVENT_WAIT) | CALL(NEIGHBORHOOD);

static bool has_such_calls(const struct fm_trace *trace)
{
    for (uint32_t r = 0; r < trace->region_count; r++) {
        if ((awakened_calls >> trace->regions[r].call & 1) != 0) {
            return true;
        }
    }
    return false;
}

/* @return the number of such calls of a location without a dependency */
static uint64_t count_unaided(const struct fm_trace *trace, const struct fm_location *location,
                              const fm_dependency_vector *dependencies)
{
    uint64_t count = 0;
    size_t next = 0;
    for (uint32_t a = 0; a < location->enter.count; a++) {
        while (next < dependencies->count &&
               (dependencies->items[next].activity < a ||
                (FM_DORMANT_RULES >> dependencies->items[next].rule & 1) != 0)) {
            next++;
        }
        count += (awakened_calls >> fm_trace_called(trace, location, a)->call & 1) != 0 &&
                 (next == dependencies->count || dependencies->items[next].activity != a);
    }
    return count;
}

/* @return whether a mark in the call that waits, such as the begin of a task, depends on the event
 * that ends the wait, or on a later one; `*next` is the first mark behind the calls before */
static bool has_such_mark(const struct fm_dependencies *dependencies, uint32_t l,
                          const struct fm_candidate *wait, size_t *next)
{
    const fm_mark_vector *marks = &dependencies->marks[l];
    const fm_dependency_vector *of_marks = &dependencies->of_marks[l];
    while (*next < marks->count && marks->items[*next].next_activity <= wait->activity) {
        ++*next;
    }
    for (size_t m = *next; m < marks->count && marks->items[m].activity == wait->activity; m++) {
        const uint32_t row = marks->items[m].row;
        size_t d = fm_first_dependency(of_marks, row);
        for (; d < of_marks->count && of_marks->items[d].activity == row; d++) {
            if (of_marks->items[d].t >= wait->t) {
                return true;
            }
        }
    }
    return false;
}

/* Counts the wait states that no dependency explains: neither one on the event that ends the wait,
 * nor one on a later event, which comes behind it (the copy that a call waits for, behind the work
 * in front of the copy). */
static void count_unfollowed(const struct fm_detail *detail, uint32_t l,
                             struct fm_fixed_behavior *found)
{
    const struct fm_location *location = &detail->trace->locations[l];
    const struct fm_findings *findings = &detail->findings[l];
    const fm_dependency_vector *dependencies = &detail->dependencies->of_location[l];
    size_t first = 0, next_mark = 0;
    for (size_t w = 0; w < findings->waits.count; w++) {
        const struct fm_candidate *wait = &findings->candidates.items[findings->waits.items[w]];
        while (first < dependencies->count &&
               dependencies->items[first].activity < wait->activity) {
            first++;
        }
        size_t d = first;
        while (d < dependencies->count && dependencies->items[d].activity == wait->activity &&
               dependencies->items[d].t < wait->t) {
            d++;
        }
        if ((d == dependencies->count || dependencies->items[d].activity != wait->activity) &&
            !has_such_mark(detail->dependencies, l, wait, &next_mark)) {
            found->unfollowed[wait->metric]++;
            found->unfollowed_ticks[wait->metric] +=
                wait->t - fm_trace_begin(location, wait->activity);
        }
    }
}

struct fm_fixed_behavior fm_fixed_behavior_find(const struct fm_detail *detail)
{
    struct fm_fixed_behavior found = {0};
    const bool may_be_unaided = has_such_calls(detail->trace);
    for (uint32_t l = 0; l < detail->trace->location_count; l++) {
        const fm_dependency_vector *dependencies = &detail->dependencies->of_location[l];
        for (size_t d = 0; d < dependencies->count; d++) {
            found.tasks += dependencies->items[d].rule == FM_DEPENDS_ON_TASK_END;
        }
        count_unfollowed(detail, l, &found);
        if (may_be_unaided) {
            found.unaided +=
                count_unaided(detail->trace, &detail->trace->locations[l], dependencies);
        }
    }
    return found;
}
