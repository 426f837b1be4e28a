/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/dependencies/polling.h"

/* Gaps between two tests of a loop are shorter. */
#define LONGEST_GAP_MICROSECONDS 100

static bool is_test(const struct fm_region *region)
{
    return region->polling.part == FM_POLLING_TEST;
}

/* The tests of a location, from its first activity on. */
struct search {
    const struct fm_trace *trace;
    const struct fm_location *location;
    const struct fm_completions *completions;
    uint64_t longest_gap; /* ticks */
    const fm_dependency_vector *dependencies;
    size_t dependency; /* first of the last activity or a later one */
    size_t state;      /* first change of state that may be behind the last activity */
    uint32_t l;
};

/* @return whether activity `next` follows the one before it as in a loop */
static bool follows(struct search *search, uint32_t next)
{
    const struct fm_location *location = search->location;
    const uint64_t since = location->leave.items[next - 1], until = location->enter.items[next];
    while (search->state < location->state_since.count &&
           location->state_since.items[search->state] < since) {
        search->state++;
    }
    const bool changes = search->state < location->state_since.count &&
                         location->state_since.items[search->state] <= until;
    return !changes && since <= until && until - since < search->longest_gap &&
           location->visit.items[next] == location->visit.items[next - 1];
}

/* @return whether a test, not before the last one that was asked for, completes something */
static bool succeeds(struct search *search, uint32_t activity)
{
    const fm_dependency_vector *dependencies = search->dependencies;
    while (search->dependency < dependencies->count &&
           dependencies->items[search->dependency].activity < activity) {
        search->dependency++;
    }
    return fm_completions_of(search->completions, search->l, activity) != 0 ||
           (search->dependency < dependencies->count &&
            dependencies->items[search->dependency].activity == activity);
}

/* Adds a polling that does not begin before those that were added. */
static void add(fm_polling_vector *pollings, struct fm_polling polling)
{
    struct fm_polling *last = pollings->items + pollings->count - 1;
    if (pollings->count == 0 || last->last < polling.first) {
        fm_vector_push(pollings, polling);
    } else if (last->last < polling.last) {
        last->last = polling.last;
    }
}

/* Adds the polling loops of the trace that begin before an activity, from loop number `loop` on.
 * @return the next loop */
static size_t add_loops(fm_polling_vector *pollings, const struct fm_location *location,
                        size_t loop, uint32_t activity)
{
    for (; loop < location->loops.count && location->loops.items[loop].first < activity; loop++) {
        add(pollings, (struct fm_polling){location->loops.items[loop].first,
                                          location->loops.items[loop].last});
    }
    return loop;
}

void fm_polling_find(fm_polling_vector *pollings, const struct fm_trace *trace, uint32_t l,
                     const struct fm_completions *completions,
                     const fm_dependency_vector *dependencies)
{
    struct search search = {
        .trace = trace,
        .location = &trace->locations[l],
        .completions = completions,
        .dependencies = dependencies,
        .longest_gap = trace->ticks_per_second * LONGEST_GAP_MICROSECONDS / 1000000,
        .l = l,
    };
    const uint32_t count = (uint32_t)search.location->enter.count;
    size_t loop = 0;
    for (uint32_t a = 0; a < count;) {
        const uint32_t first = a;
        if (!is_test(fm_trace_called(trace, search.location, a))) {
            a++;
            continue;
        }
        while (!succeeds(&search, a) && a + 1 < count && follows(&search, a + 1)) {
            a++;
        }
        if (a > first && succeeds(&search, a)) {
            loop = add_loops(pollings, search.location, loop, first);
            add(pollings, (struct fm_polling){first, a});
        }
        a++;
    }
    add_loops(pollings, search.location, loop, FM_NONE);
}

const struct fm_polling *fm_polling_around(const fm_polling_vector *pollings, uint32_t activity)
{
    size_t low = 0, high = pollings->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (pollings->items[middle].last < activity) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < pollings->count && pollings->items[low].first <= activity ? &pollings->items[low]
                                                                           : NULL;
}
