/* SPDX-License-Identifier: BSD-3-Clause */
/* Circles of dependencies. When nothing advances any more, each location that is not done waits for
 * one event of another such location, or for a decision: a graph in which each node has at most one
 * edge, so that each of its components has at most one circle. A new circle contains a location
 * that has advanced since the last search. */
#include "analysis/replay/follower.h"

/* @return the location that a location waits for, through junctions; FM_NONE: none */
static uint32_t next_of(const struct fm_replay_run *run, uint32_t l)
{
    const struct fm_traveller *traveller = &run->travellers[l];
    if (traveller->is_done || traveller->is_open) {
        return FM_NONE;
    }
    struct fm_awaited source = traveller->blocked;
    while (source.kind == FM_AWAITED_JUNCTION) {
        const struct fm_junction_table *table = &run->dependencies->tables[source.place];
        const struct fm_junction *junction = &table->junctions.items[source.index];
        source = table->inputs.items[junction->first_input +
                                     run->crossings[source.place][source.index].next_input];
    }
    return source.place;
}

static struct fm_dependency *blocking_dependency(const struct fm_replay_run *run, uint32_t l)
{
    const struct fm_traveller *traveller = &run->travellers[l];
    const fm_dependency_vector *of = traveller->step.kind == FM_STEP_MARK
                                         ? &run->dependencies->of_marks[l]
                                         : &run->dependencies->of_location[l];
    return &of->items[traveller->dependency];
}

/* @return the place of a location's dependency in the order in which they are dropped, highest
 * first: what the measured run did not have, then the rule listed last */
static unsigned order_of(const struct fm_replay_run *run, uint32_t l)
{
    const unsigned rule = blocking_dependency(run, l)->rule;
    return run->travellers[l].is_other ? UINT8_MAX + rule : rule;
}

/* Drops the dependency of the last rule among those of a circle; ties: the highest location.
 * @return the location that has it */
static uint32_t cut(const struct fm_replay_run *run, uint32_t begin)
{
    uint32_t chosen = begin;
    uint32_t l = begin;
    do {
        const unsigned rule = order_of(run, l);
        const unsigned best = order_of(run, chosen);
        if (rule > best || (rule == best && l > chosen)) {
            chosen = l;
        }
        l = next_of(run, l);
    } while (l != begin);
    struct fm_dependency *dependency = blocking_dependency(run, chosen);
    if (run->travellers[chosen].is_other) {
        dependency->other_dropped = true;
    } else {
        dependency->dropped = true;
    }
    return chosen;
}

uint64_t fm_circles_cut(struct fm_replay_run *run, const uint32_t *from, size_t count,
                        fm_location_vector *locations)
{
    const uint64_t first = run->searches + 1;
    uint64_t circles = 0;
    for (size_t i = 0; i < (from == NULL ? run->trace->location_count : count); i++) {
        const uint64_t search = ++run->searches;
        uint32_t at = from == NULL ? (uint32_t)i : from[i];
        uint32_t next = next_of(run, at);
        while (next != FM_NONE && run->met[at] < first) {
            run->met[at] = search;
            at = next;
            next = next_of(run, at);
        }
        if (next != FM_NONE && run->met[at] == search) {
            fm_vector_push(locations, cut(run, at));
            circles++;
        }
    }
    return circles;
}
