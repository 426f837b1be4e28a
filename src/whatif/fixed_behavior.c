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

/* Counts the wait states that no dependency explains: neither one on the event that ends the wait,
 * nor one on a later event, which comes behind it (the copy that a call waits for, behind the work
 * in front of the copy). */
static void count_unfollowed(const struct fm_detail *detail, uint32_t l,
                             struct fm_fixed_behavior *found)
{
    const struct fm_location *location = &detail->trace->locations[l];
    const struct fm_findings *findings = &detail->findings[l];
    const fm_dependency_vector *dependencies = &detail->dependencies->of_location[l];
    size_t first = 0;
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
        if (d == dependencies->count || dependencies->items[d].activity != wait->activity) {
            found->unfollowed[wait->metric]++;
            found->unfollowed_ticks[wait->metric] +=
                wait->t - location->enter.items[wait->activity];
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
