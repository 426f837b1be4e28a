/* Circles of dependencies. When nothing advances any more, each location that is not done waits for
 * one event of another such location: a graph in which each node has one edge, so that each of its
 * components has exactly one circle. */
#include "analysis/replay/follower.h"
#include "base/memory.h"

/* Numbers of the search that has met a location. */
#define NEVER 0

struct search {
    struct fm_replay_run *run;
    uint32_t *next; /* [location]: location that it waits for */
    uint32_t *met;  /* [location] */
};

/* @return the location whose event `source` waits for, through junctions */
static uint32_t location_of(const struct fm_replay_run *run, struct fm_awaited source)
{
    while (source.kind == FM_AWAITED_JUNCTION) {
        const struct fm_junction_table *table = &run->dependencies->tables[source.place];
        const struct fm_junction *junction = &table->junctions.items[source.index];
        const struct fm_awaited *inputs = &table->inputs.items[junction->first_input];
        uint64_t time = 0;
        uint32_t i = 0;
        while (i + 1 < junction->input_count && fm_awaited_reached(run, inputs[i], &time)) {
            i++;
        }
        source = inputs[i];
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

/* Drops the dependency of the last rule among those of a circle; ties: the highest location. */
static void cut(const struct search *search, uint32_t begin)
{
    uint32_t chosen = begin;
    uint32_t l = begin;
    do {
        const unsigned rule = blocking_dependency(search->run, l)->rule;
        const unsigned best = blocking_dependency(search->run, chosen)->rule;
        if (rule > best || (rule == best && l > chosen)) {
            chosen = l;
        }
        l = search->next[l];
    } while (l != begin);
    blocking_dependency(search->run, chosen)->dropped = true;
}

uint64_t fm_circles_cut(struct fm_replay_run *run)
{
    const uint32_t count = run->trace->location_count;
    struct search search = {run, fm_allocate(count, sizeof *search.next),
                            fm_allocate(count, sizeof *search.met)};
    uint64_t circles = 0;
    for (uint32_t l = 0; l < count; l++) {
        search.next[l] = run->travellers[l].is_done
                             ? FM_NONE
                             : location_of(run, blocking_dependency(run, l)->source);
    }
    for (uint32_t l = 0; l < count; l++) {
        uint32_t at = l;
        while (search.next[at] != FM_NONE && search.met[at] == NEVER) {
            search.met[at] = l + 1;
            at = search.next[at];
        }
        if (search.next[at] != FM_NONE && search.met[at] == l + 1) {
            cut(&search, at);
            circles++;
        }
    }
    fm_free(search.next);
    fm_free(search.met);
    return circles;
}
