/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/problems/cost_times.h"

#include "analysis/causes/caused_waits.h"
#include "analysis/causes/cost_table.h"
#include "analysis/problems/occasions.h"
#include "engine/dispatch/dispatch.h"

/* From the causing location to the one that waits: what a wait state costs a problem. */
struct cost_message {
    int64_t cost;
    uint32_t waiter;
    uint32_t number; /* of the wait state */
    uint32_t problem;
    uint32_t unused;
};

struct worker_bins {
    int64_t *items; /* [problem][bin] */
    unsigned char apart[FM_APART];
};

struct search {
    const struct fm_formation *formation;
    const struct fm_shown_problems *shown;
    const struct fm_blamed_waits *blamed; /* NULL: no wait state is charged by blame */
    const struct fm_iterations *iterations;
    struct fm_dispatch *messages;
    struct worker_bins *bins; /* by worker */
};

/* ---- at the causing locations ---- */

static void send_cost(struct search *search, unsigned worker, const struct fm_caused_wait *wait,
                      uint32_t problem, double ticks)
{
    const struct fm_formation *formation = search->formation;
    struct cost_message message = {
        .cost = fm_cost_rounded(ticks, formation->cost_scale),
        .waiter = wait->waiter,
        .number = wait->number,
        .problem = problem,
    };
    if (message.cost > 0) {
        fm_dispatch_send(search->messages, worker,
                         fm_trace_process(formation->analysis->trace, wait->waiter), &message);
    }
}

/* Sends what a wait state costs each problem of the causing location. */
static void send_costs(struct search *search, unsigned worker, const struct fm_caused_waits *caused,
                       const struct fm_caused_wait *wait, const uint8_t *numbers)
{
    double parts[FM_SHOWN_LIMIT];
    uint8_t problems[FM_SHOWN_LIMIT];
    uint32_t count = 0;
    double cost = (double)wait->wait + wait->phi;
    for (uint32_t p = wait->first; p < wait->end; ++p) {
        uint32_t visit = caused->visits.items[p];
        uint8_t problem = visit == FM_NONE ? FM_NOT_SHOWN : numbers[visit];
        if (problem == FM_NOT_SHOWN) {
            continue;
        }
        uint32_t i = 0;
        while (i < count && problems[i] != problem) {
            ++i;
        }
        if (i == count) {
            problems[count] = problem;
            parts[count++] = 0;
        }
        parts[i] += caused->parts.items[p];
    }
    for (uint32_t i = 0; i < count; ++i) {
        send_cost(search, worker, wait, problems[i], parts[i] * cost);
    }
}

static void send_location(struct search *search, unsigned worker, uint32_t location)
{
    const struct fm_formation *formation = search->formation;
    const struct fm_analysis *analysis = formation->analysis;
    const struct fm_caused_waits *caused = &formation->caused[location];
    if (caused->waits.count == 0) {
        return;
    }
    uint8_t *numbers =
        fm_allocate(analysis->trace->locations[location].profile.count + 1, sizeof *numbers);
    bool is_cause = fm_shown_problems_of(search->shown, analysis, location, numbers);
    for (size_t i = 0; i < caused->waits.count; ++i) {
        const struct fm_caused_wait *wait = &caused->waits.items[i];
        if (fm_charge_of((fm_delay_kind_t)wait->delay_kind) != FM_CHARGE_DELAY) {
            continue;
        }
        if (wait->traits & FM_CAUSED_UNATTRIBUTED) {
            if (search->shown->unattributed != FM_NOT_SHOWN) {
                send_cost(search, worker, wait, search->shown->unattributed,
                          (double)wait->wait + wait->phi);
            }
        } else if (is_cause) {
            send_costs(search, worker, caused, wait, numbers);
        }
    }
    fm_free(numbers);
}

/* Adds the costs of a location's wait states that are charged by blame. */
static void add_blamed(struct search *search, uint32_t location, int64_t *bins)
{
    const struct fm_blamed_waits *blamed = &search->blamed[location];
    for (size_t w = 0; w < blamed->waits.count; ++w) {
        const struct fm_blamed_wait *wait = &blamed->waits.items[w];
        for (uint32_t p = wait->first; p < wait->end; ++p) {
            const struct fm_blamed_part *part = &blamed->parts.items[p];
            if (part->problem != FM_NONE) {
                fm_iterations_add(
                    search->iterations, location, part->from, part->to,
                    fm_cost_rounded(fm_blamed_cost(wait, part), search->formation->cost_scale),
                    bins + (size_t)part->problem * search->iterations->bin_count);
            }
        }
    }
}

static void send_all(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct search *search = context;
    const struct fm_trace *trace = search->formation->analysis->trace;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        send_location(search, worker, l);
        if (search->blamed != NULL) {
            add_blamed(search, l, search->bins[worker].items);
        }
    }
}

/* ---- at the waiting locations ---- */

static void take_cost(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)process;
    struct search *search = context;
    const struct cost_message *message = record;
    const struct fm_wait *wait =
        &search->formation->busy_times[message->waiter].waits.items[message->number];
    fm_iterations_add(search->iterations, message->waiter, wait->enter, wait->until, message->cost,
                      search->bins[worker].items +
                          (size_t)message->problem * search->iterations->bin_count);
}

int64_t *fm_cost_times_find(const struct fm_formation *formation,
                            const struct fm_shown_problems *shown,
                            const struct fm_blamed_waits *blamed,
                            const struct fm_iterations *iterations)
{
    struct fm_engine *engine = formation->analysis->engine;
    unsigned workers = fm_engine_workers(engine);
    size_t count = (size_t)shown->count * iterations->bin_count;
    struct search search = {
        .formation = formation,
        .shown = shown,
        .blamed = blamed,
        .iterations = iterations,
        .bins = fm_allocate_apart(workers, sizeof *search.bins),
    };
    for (unsigned w = 0; w < workers; ++w) {
        search.bins[w].items = fm_allocate(count, sizeof *search.bins[w].items);
    }
    search.messages = fm_dispatch_create(engine, sizeof(struct cost_message), take_cost, &search);
    fm_dispatch_run(search.messages, send_all, &search);
    fm_dispatch_free(search.messages);
    int64_t *sums = search.bins[0].items;
    for (unsigned w = 1; w < workers; ++w) {
        for (size_t i = 0; i < count; ++i) {
            sums[i] += search.bins[w].items[i];
        }
        fm_free(search.bins[w].items);
    }
    fm_free(search.bins);
    fm_team_sum(formation->analysis->team, (uint64_t *)sums, count);
    return sums;
}

/* ---- what is reported ---- */

/* @return how deep a region is in the forest of call paths, at most */
static uint32_t depth_of(const struct fm_trace *trace, uint32_t region)
{
    uint32_t deepest = 0;
    for (size_t c = 0; c < trace->callpaths.count; ++c) {
        if (trace->callpaths.items[c].region != region) {
            continue;
        }
        uint32_t depth = 0;
        for (uint32_t at = (uint32_t)c; at != FM_NONE; at = trace->callpaths.items[at].parent) {
            ++depth;
        }
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest;
}

/* @return the innermost phase that holds at least nine tenths of a cost: the deepest one in the
 * forest of call paths; FM_CUBE_NONE: there is none */
static uint32_t choose_phase(const struct fm_trace *trace, const int64_t *bins,
                             const struct fm_iterations *iterations, int64_t cost)
{
    uint32_t chosen = FM_CUBE_NONE, deepest = 0;
    for (uint32_t p = 0; p < iterations->phase_count; ++p) {
        const struct fm_iteration_phase *phase = &iterations->phases[p];
        int64_t held = 0;
        for (uint32_t i = 0; i < phase->bin_count; ++i) {
            held += bins[phase->first_bin + i];
        }
        uint32_t depth = depth_of(trace, phase->region);
        if (held >= fm_tenths_of(cost, 9) && depth > deepest) {
            chosen = p;
            deepest = depth;
        }
    }
    return chosen;
}

/* Iterations with the times of the phase. */
static struct fm_cube_occasion iterations_of(const struct fm_iteration_run *run,
                                             const struct fm_cube_phase *phase)
{
    const struct fm_cube_iteration *first = &phase->rows[run->first];
    const struct fm_cube_iteration *last = &phase->rows[run->last];
    struct fm_cube_occasion occasion = {
        .first = first->first,
        .last = last->first + last->count - 1,
        .begin = first->begin,
        .end = last->end,
        .count = run->count * first->count,
    };
    for (uint32_t i = run->first; i < run->last; ++i) {
        occasion.end = phase->rows[i].end > occasion.end ? phase->rows[i].end : occasion.end;
    }
    if (occasion.count > occasion.last - occasion.first + 1) {
        occasion.count = occasion.last - occasion.first + 1;
    }
    return occasion;
}

static struct fm_cube_occasion part_of(const struct fm_iteration_run *run, uint64_t run_time)
{
    return (struct fm_cube_occasion){
        .begin = fm_cube_bin_edge(run_time, FM_RUN_PARTS, run->first),
        .end = fm_cube_bin_edge(run_time, FM_RUN_PARTS, run->last + 1),
    };
}

void fm_cost_times_describe(const struct fm_trace *trace, const int64_t *bins,
                            const struct fm_iterations *iterations,
                            const struct fm_phase_list *phases, uint64_t begin, uint64_t end,
                            struct fm_cube_problem *problem)
{
    bool are_parts = fm_iterations_are_parts(iterations);
    if (!are_parts) {
        problem->phase = choose_phase(trace, bins, iterations, problem->cost);
        if (problem->phase == FM_CUBE_NONE) {
            return;
        }
    }
    const struct fm_iteration_phase *phase = &iterations->phases[are_parts ? 0 : problem->phase];
    struct fm_iteration_run runs[FM_CUBE_OCCASIONS];
    problem->occasion_count =
        fm_find_occasions(bins + phase->first_bin, phase->bin_count, problem->cost, runs);
    for (uint32_t i = 0; i < problem->occasion_count; ++i) {
        problem->occasions[i] = are_parts ? part_of(&runs[i], end - begin)
                                          : iterations_of(&runs[i], &phases->items[problem->phase]);
        double share = (double)runs[i].cost / (double)problem->cost;
        problem->occasions[i].share = share < 1 ? share : 1;
    }
}
