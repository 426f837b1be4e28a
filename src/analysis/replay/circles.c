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

/* @return the edit of the dependency that blocks a location; NULL: none */
static const struct fm_redirected_edit *blocking_edit(const struct fm_replay_run *run, uint32_t l)
{
    return run->travellers[l].step.kind == FM_STEP_MARK
               ? NULL
               : fm_redirection_of(run, l, blocking_dependency(run, l));
}

/* @return the event that a location waits for */
static struct fm_awaited blocking_event(const struct fm_replay_run *run, uint32_t l)
{
    const struct fm_redirected_edit *edit = blocking_edit(run, l);
    return edit != NULL ? edit->event.source : blocking_dependency(run, l)->source;
}

/* @return the place of a location's dependency in the order in which they are dropped, highest
 * first: what the measured run did not have, then the rule listed last */
static unsigned order_of(const struct fm_replay_run *run, uint32_t l)
{
    const unsigned rule = blocking_dependency(run, l)->rule;
    return blocking_edit(run, l) != NULL ? UINT8_MAX + rule : rule;
}

/* Drops the dependency of the last rule among those of a circle; ties: the highest location. */
static void cut(const struct search *search, uint32_t begin)
{
    uint32_t chosen = begin;
    uint32_t l = begin;
    do {
        const unsigned rule = order_of(search->run, l);
        const unsigned best = order_of(search->run, chosen);
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
        search.next[l] =
            run->travellers[l].is_done ? FM_NONE : location_of(run, blocking_event(run, l));
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
