/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/problems/idle/idle_problems.h"

#include "analysis/problems/cost_times.h"
#include "analysis/problems/idle/idle_search.h"
#include "base/containers/sort.h"

#include <inttypes.h>

/* The idle time in a cause on a master, and what the gain is computed from. */
struct share {
    uint64_t cost; /* ticks */
    uint64_t busy; /* time of the master in it, without waiting */
    uint64_t path; /* time in it on the critical path */
    uint32_t callpath, location;
    uint32_t threads; /* of the process */
};

typedef FM_VECTOR(struct share) share_vector;

/* ---- idle time by call path ---- */

static void add_times(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct fm_idle_search *search = context;
    for (uint32_t l = fm_trace_first_location(search->trace, first);
         l < fm_trace_first_location(search->trace, last); l++) {
        if (!fm_idle_is_master(search->formation, l)) {
            continue;
        }
        struct fm_idle_time *times =
            fm_allocate(search->trace->locations[l].profile.count, sizeof *times);
        struct fm_idle_reader reader = fm_idle_reader_open(search->formation, l);
        struct fm_idle_piece piece;
        while (fm_idle_read(&reader, &piece)) {
            struct fm_idle_time *time = &times[piece.node];
            uint64_t *ticks = piece.is_waiting ? time->waited : time->ticks;
            ticks[piece.is_limited ? FM_IDLE_IN_A_TEAM : FM_IDLE_SERIAL_CODE] +=
                fm_idle_ticks(&piece);
        }
        search->times[l] = times;
    }
}

/* Finds the causes, from the idle time of all processes in each call path. @return all idle time
 * during which masters wait, ticks */
static uint64_t find_causes(struct fm_idle_search *search)
{
    const struct fm_trace *trace = search->trace;
    const size_t count = trace->callpaths.count;
    uint64_t *ticks = fm_allocate(count + 1, sizeof *ticks);
    for (uint32_t l = 0; l < trace->location_count; l++) {
        const struct fm_location *location = &trace->locations[l];
        for (size_t v = 0; search->times[l] != NULL && v < location->profile.count; v++) {
            const struct fm_idle_time *time = &search->times[l][v];
            ticks[location->profile.items[v].callpath] += fm_idle_sum(time->ticks);
            ticks[count] += fm_idle_sum(time->waited);
        }
    }
    fm_team_sum(search->formation->analysis->team, ticks, count + 1);
    search->causes = fm_idle_causes_find(trace, ticks);
    const uint64_t waited = ticks[count];
    fm_free(ticks);
    return waited;
}

/* ---- costs and gains ---- */

struct worker {
    share_vector shares;
    unsigned char apart[FM_APART];
};

struct costing {
    const struct fm_idle_search *search;
    const struct fm_critical_path *path;
    struct worker *workers;
};

/* Adds the time of a location in causes. Only parallel regions have time of other threads than the
 * master.
 * @param shares  [call path]: of the master */
static void add_location(const struct costing *costing, uint32_t location, bool is_master,
                         struct share *shares)
{
    const struct fm_idle_search *search = costing->search;
    const struct fm_location *of = &search->trace->locations[location];
    for (size_t v = 0; v < of->profile.count; v++) {
        const uint32_t callpath = of->profile.items[v].callpath;
        struct share *share = &shares[search->causes.of_callpath[callpath]];
        if (is_master) {
            share->cost += fm_idle_sum(search->times[location][v].ticks);
            share->busy += costing->path->busy[location][v];
        }
        if (is_master || search->causes.is_parallel[callpath]) {
            share->path += costing->path->time[location][v];
        }
    }
}

static void list_process(const struct costing *costing, uint32_t process, struct share *shares,
                         share_vector *list)
{
    const struct fm_trace *trace = costing->search->trace;
    const uint32_t first = fm_trace_first_location(trace, process);
    const uint32_t end = fm_trace_first_location(trace, process + 1);
    uint32_t master = first, threads = 0;
    while (master < end && !fm_idle_is_master(costing->search->formation, master)) {
        master++;
    }
    if (master == end) {
        return;
    }
    for (uint32_t l = first; l < end; l++) {
        threads += !trace->locations[l].is_stream;
        add_location(costing, l, l == master, shares);
    }
    for (uint32_t c = 0; c < trace->callpaths.count; c++) {
        if (shares[c].cost > 0) {
            shares[c].callpath = c;
            shares[c].location = master;
            shares[c].threads = threads;
            fm_vector_push(list, shares[c]);
        }
        shares[c] = (struct share){0};
    }
}

static void list_shares(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct costing *costing = context;
    struct share *shares = fm_allocate(costing->search->trace->callpaths.count, sizeof *shares);
    for (uint32_t process = first; process < last; process++) {
        list_process(costing, process, shares, &costing->workers[worker].shares);
    }
    fm_free(shares);
}

static int compare_shares(const void *left, const void *right)
{
    const struct share *a = left, *b = right;
    if (a->callpath != b->callpath) {
        return a->callpath < b->callpath ? -1 : 1;
    }
    return a->location < b->location ? -1 : a->location > b->location;
}

/* Finds the shares of all masters. @return those of process 0, sorted; others: none */
static share_vector find_shares(const struct fm_idle_search *search,
                                const struct fm_critical_path *path)
{
    const struct fm_analysis *analysis = search->formation->analysis;
    const unsigned workers = fm_engine_workers(analysis->engine);
    struct costing costing = {search, path, fm_allocate_apart(workers, sizeof *costing.workers)};
    share_vector own = {0}, all = {0};
    fm_engine_run(analysis->engine, list_shares, &costing);
    for (unsigned w = 0; w < workers; w++) {
        share_vector *shares = &costing.workers[w].shares;
        fm_vector_reserve(&own, shares->count);
        for (size_t i = 0; i < shares->count; i++) {
            own.items[own.count++] = shares->items[i];
        }
        fm_vector_free(shares);
    }
    fm_free(costing.workers);
    fm_team_collect_vector(analysis->team, &own, &all);
    fm_vector_free(&own);
    fm_sort(all.items, all.count, sizeof *all.items, compare_shares);
    return all;
}

static struct fm_problem_list group(const share_vector *shares, uint32_t shift,
                                    const struct fm_trace *trace)
{
    struct fm_problem_costs costs = {0};
    fm_vector_reserve(&costs.cells, shares->count);
    for (size_t i = 0; i < shares->count; i++) {
        const struct share *share = &shares->items[i];
        costs.cells.items[costs.cells.count++] =
            (struct fm_problem_cost){.cost = (int64_t)(share->cost << shift),
                                     .callpath = share->callpath,
                                     .kind = FM_CAUSE_IDLE,
                                     .location = share->location};
    }
    struct fm_problem_list list = fm_problems_group(&costs, trace);
    fm_problem_costs_free(&costs);
    return list;
}

/* Adds to the gain of a problem what one of its masters can save. */
static void add_gain(const struct share *share, bool is_parallel, struct fm_cube_gain *gain)
{
    /* The work of a team of the mean size is spread over all threads of the process, that of a
     * master over itself and the threads that are idle in the mean. */
    const unsigned __int128 work = is_parallel ? (unsigned __int128)share->busy * share->threads
                                               : (unsigned __int128)share->busy + share->cost;
    const uint64_t idle = work > share->cost ? share->cost : (uint64_t)work;
    gain->removed += share->path;
    gain->balanced += work == 0 ? 0 : (uint64_t)((unsigned __int128)share->path * idle / work);
}

static void find_gain(const struct fm_idle_search *search, const share_vector *shares,
                      struct fm_cube_problem *problem)
{
    const struct fm_trace *trace = search->trace;
    if (!trace->regions[trace->callpaths.items[problem->callpath].region].is_computation) {
        return;
    }
    problem->gain.is_known = true;
    for (uint32_t i = 0; i < problem->location_count; i++) {
        const struct share wanted = {.callpath = problem->callpath,
                                     .location = problem->locations[i]};
        const struct share *share =
            bsearch(&wanted, shares->items, shares->count, sizeof wanted, compare_shares);
        add_gain(share, search->causes.is_parallel[problem->callpath], &problem->gain);
    }
}

/* ---- when ---- */

struct worker_bins {
    int64_t *items; /* [problem][bin] */
    unsigned char apart[FM_APART];
};

struct timing {
    const struct fm_idle_search *search;
    const struct fm_iterations *iterations;
    struct worker_bins *bins; /* by worker */
};

/* Adds the time of each piece of a master to the bins of its problem. */
static void add_master(const struct timing *timing, uint32_t master, int64_t *bins)
{
    const struct fm_idle_search *search = timing->search;
    const struct fm_location *location = &search->trace->locations[master];
    struct fm_idle_reader reader = fm_idle_reader_open(search->formation, master);
    struct fm_idle_piece piece;
    while (fm_idle_read(&reader, &piece)) {
        const uint32_t callpath = location->profile.items[piece.node].callpath;
        const uint32_t problem =
            piece.is_waiting ? FM_NONE : fm_idle_problem_of(search, callpath, master);
        if (problem != FM_NONE) {
            fm_iterations_add(timing->iterations, master, piece.from, piece.to,
                              (int64_t)(fm_idle_ticks(&piece) << search->formation->cost_shift),
                              bins + (size_t)problem * timing->iterations->bin_count);
        }
    }
}

static void add_masters(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    const struct timing *timing = context;
    const struct fm_idle_search *search = timing->search;
    for (uint32_t l = fm_trace_first_location(search->trace, first);
         l < fm_trace_first_location(search->trace, last); l++) {
        if (fm_idle_is_master(search->formation, l)) {
            add_master(timing, l, timing->bins[worker].items);
        }
    }
}

/* @return [shown problem][bin]: costs, of process 0 those of all processes; to be freed */
static int64_t *find_bins(const struct fm_idle_search *search,
                          const struct fm_iterations *iterations)
{
    const struct fm_analysis *analysis = search->formation->analysis;
    const unsigned workers = fm_engine_workers(analysis->engine);
    const size_t count = (size_t)search->shown.count * iterations->bin_count;
    struct timing timing = {search, iterations, fm_allocate_apart(workers, sizeof *timing.bins)};
    for (unsigned w = 0; w < workers; w++) {
        timing.bins[w].items = fm_allocate(count, sizeof *timing.bins[w].items);
    }
    fm_engine_run(analysis->engine, add_masters, &timing);
    int64_t *sums = timing.bins[0].items;
    for (unsigned w = 1; w < workers; w++) {
        for (size_t i = 0; i < count; i++) {
            sums[i] += timing.bins[w].items[i];
        }
        fm_free(timing.bins[w].items);
    }
    fm_free(timing.bins);
    fm_team_sum(analysis->team, (uint64_t *)sums, count);
    return sums;
}

/* ---- all of it ---- */

/* @return the idle time of all threads as the pattern found it, ticks */
static uint64_t all_idle(const struct fm_analysis *analysis)
{
    uint64_t idle = 0;
    for (uint32_t l = 0; l < analysis->trace->location_count; l++) {
        const struct fm_findings *findings = &analysis->findings[l];
        for (size_t i = 0; i < findings->outside.count; i++) {
            idle += findings->outside.items[i].ticks;
        }
    }
    fm_team_sum(analysis->team, &idle, 1);
    return idle;
}

/* Adds a problem where its cost belongs. */
static void insert(struct fm_problem_list *list, const struct fm_cube_problem *problem)
{
    fm_vector_push(&list->items, *problem);
    size_t at = list->items.count - 1;
    for (; at > 0 && list->items.items[at - 1].cost < problem->cost; at--) {
        list->items.items[at] = list->items.items[at - 1];
    }
    list->items.items[at] = *problem;
}

struct fm_idle_problems fm_idle_problems_find(const struct fm_formation *formation,
                                              const struct fm_critical_path *path,
                                              const struct fm_iterations *iterations,
                                              const struct fm_phase_list *phases, uint64_t begin,
                                              uint64_t end)
{
    const struct fm_analysis *analysis = formation->analysis;
    const struct fm_trace *trace = analysis->trace;
    const uint32_t shift = formation->cost_shift;
    struct fm_idle_problems problems = {.idle = (int64_t)(all_idle(analysis) << shift)};
    if (problems.idle == 0) {
        return problems;
    }
    struct fm_idle_search search = {
        .formation = formation,
        .trace = trace,
        .times = fm_allocate(trace->location_count, sizeof *search.times),
    };
    struct fm_cube_problem waiting = {.kind = FM_CAUSE_IDLE,
                                      .callpath = FM_CUBE_NONE,
                                      .phase = FM_CUBE_NONE,
                                      .lock = FM_CUBE_NONE};
    fm_engine_run(analysis->engine, add_times, &search);
    waiting.cost = (int64_t)(find_causes(&search) << shift);
    share_vector shares = find_shares(&search, path);
    problems.list = group(&shares, shift, search.trace);
    struct fm_cube_problem *items = problems.list.items.items;
    search.shown = fm_shown_problems_choose(&problems.list, problems.idle, analysis->team);
    fm_idle_symptoms_find(&search, items, &waiting);
    int64_t *bins = find_bins(&search, iterations);
    for (size_t i = 0; i < problems.list.items.count; i++) {
        find_gain(&search, &shares, &items[i]);
        problems.sum += items[i].cost;
        if (i < search.shown.count) {
            fm_cost_times_describe(trace, bins + i * iterations->bin_count, iterations, phases,
                                   begin, end, &items[i]);
        }
    }
    if (waiting.cost > 0 && fm_team_leads(analysis->team)) {
        problems.sum += waiting.cost;
        insert(&problems.list, &waiting);
    }
    fm_free(bins);
    fm_vector_free(&shares);
    for (uint32_t l = 0; l < trace->location_count; l++) {
        fm_free(search.times[l]);
    }
    fm_free(search.times);
    fm_idle_causes_free(&search.causes);
    fm_shown_problems_free(&search.shown);
    return problems;
}

fm_status_t fm_idle_problems_check(const struct fm_idle_problems *problems, struct fm_error *error)
{
    if (problems->sum != problems->idle) {
        return fm_fail(error, FM_ERR_FAILED,
                       "invariant violated: problems of idle threads cost %" PRId64
                       ", all idle time is %" PRId64,
                       problems->sum, problems->idle);
    }
    return FM_OK;
}

void fm_idle_problems_free(struct fm_idle_problems *problems)
{
    fm_problem_list_free(&problems->list);
}
