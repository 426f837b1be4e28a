/* SPDX-License-Identifier: BSD-3-Clause */
/* The symptoms of problems of idle threads: idle time by metric and call path of the master, with
 * the threads that are idle there. */
#include "analysis/problems/idle/idle_search.h"
#include "analysis/problems/symptoms.h"
#include "base/containers/sort.h"

/* A part of a symptom: the idle time in a call path of a master, or a thread that is idle there. */
struct part {
    uint64_t ticks;
    uint32_t problem; /* number of the shown one; number of all shown ones: the master waits */
    uint32_t metric;
    uint32_t callpath;
    uint32_t location; /* FM_NONE: the part is a time */
};

struct worker {
    FM_VECTOR(struct part) parts;
    unsigned char apart[FM_APART];
};

struct listing {
    const struct fm_idle_search *search;
    struct worker *workers;
};

/* ---- of one process ---- */

static void add_part(struct worker *worker, uint32_t problem, fm_metric_t metric, uint32_t callpath,
                     uint32_t location, uint64_t ticks)
{
    if (problem != FM_NONE) {
        fm_vector_push(&worker->parts, ((struct part){ticks, problem, metric, callpath, location}));
    }
}

/* Adds the times of a master. */
static void list_times(const struct fm_idle_search *search, struct worker *worker, uint32_t master)
{
    static const fm_metric_t metrics[FM_IDLE_TEAMS] = {
        [FM_IDLE_SERIAL_CODE] = FM_METRIC_OMP_IDLE_THREADS,
        [FM_IDLE_IN_A_TEAM] = FM_METRIC_OMP_LIMITED_PARALLELISM,
    };
    const struct fm_location *location = &search->trace->locations[master];
    for (size_t v = 0; v < location->profile.count; v++) {
        const struct fm_idle_time *time = &search->times[master][v];
        const uint32_t callpath = location->profile.items[v].callpath;
        for (unsigned team = 0; team < FM_IDLE_TEAMS; team++) {
            if (time->ticks[team] > 0) {
                add_part(worker, fm_idle_problem_of(search, callpath, master), metrics[team],
                         callpath, FM_NONE, time->ticks[team]);
            }
            if (time->waited[team] > 0) {
                add_part(worker, search->shown.count, metrics[team], callpath, FM_NONE,
                         time->waited[team]);
            }
        }
    }
}

/* Adds a thread to the symptoms in the call paths of its master in which it is idle. Whether it is
 * so while the master waits is known of all threads of the master together. */
static void list_thread(const struct fm_idle_search *search, struct worker *worker, uint32_t master,
                        uint32_t thread, const bool *is_busy, const bool *is_waiting)
{
    const struct fm_findings *findings = &search->formation->analysis->findings[thread];
    for (size_t i = 0; i < findings->outside.count; i++) {
        const struct fm_outside_time *time = &findings->outside.items[i];
        if (is_busy[time->callpath]) {
            add_part(worker, fm_idle_problem_of(search, time->callpath, master), time->metric,
                     time->callpath, thread, 0);
        }
        if (is_waiting[time->callpath]) {
            add_part(worker, search->shown.count, time->metric, time->callpath, thread, 0);
        }
    }
}

static void list_process(const struct fm_idle_search *search, struct worker *worker,
                         uint32_t process, uint32_t master)
{
    const struct fm_trace *trace = search->trace;
    const struct fm_location *location = &trace->locations[master];
    bool *is_busy = fm_allocate(trace->callpaths.count, sizeof *is_busy);
    bool *is_waiting = fm_allocate(trace->callpaths.count, sizeof *is_waiting);
    for (size_t v = 0; v < location->profile.count; v++) {
        const struct fm_idle_time *time = &search->times[master][v];
        const uint32_t callpath = location->profile.items[v].callpath;
        is_busy[callpath] = is_busy[callpath] || fm_idle_sum(time->ticks) > 0;
        is_waiting[callpath] = is_waiting[callpath] || fm_idle_sum(time->waited) > 0;
    }
    list_times(search, worker, master);
    for (uint32_t l = fm_trace_first_location(trace, process);
         l < fm_trace_first_location(trace, process + 1); l++) {
        list_thread(search, worker, master, l, is_busy, is_waiting);
    }
    fm_free(is_busy);
    fm_free(is_waiting);
}

static void list_all(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct listing *listing = context;
    const struct fm_trace *trace = listing->search->trace;
    for (uint32_t process = first; process < last; process++) {
        for (uint32_t l = fm_trace_first_location(trace, process);
             l < fm_trace_first_location(trace, process + 1); l++) {
            if (fm_idle_is_master(listing->search->formation, l)) {
                list_process(listing->search, &listing->workers[worker], process, l);
            }
        }
    }
}

/* ---- of all processes ---- */

static int compare_parts(const void *left, const void *right)
{
    const struct part *a = left, *b = right;
    const uint32_t keys[][2] = {{a->problem, b->problem},
                                {a->metric, b->metric},
                                {a->callpath, b->callpath},
                                {a->location, b->location}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (keys[i][0] != keys[i][1]) {
            return keys[i][0] < keys[i][1] ? -1 : 1;
        }
    }
    return 0;
}

/* Makes a symptom of its sorted parts and adds it to a problem. */
static void add_symptom(const struct part *parts, size_t count, uint32_t shift,
                        struct fm_cube_problem *problem)
{
    struct fm_cube_symptom symptom = {
        .metric = parts[0].metric,
        .callpath = parts[0].callpath,
        .locations = fm_allocate(count, sizeof *symptom.locations),
    };
    for (size_t i = 0; i < count; i++) {
        if (parts[i].location != FM_NONE) {
            symptom.locations[symptom.location_count++] = parts[i].location;
        } else {
            symptom.cost += (int64_t)(parts[i].ticks << shift);
        }
    }
    if (symptom.cost == 0) { /* of other masters of the problem's call path */
        fm_free(symptom.locations);
        return;
    }
    const uint32_t number = problem->symptom_count++;
    problem->symptoms =
        fm_resize(problem->symptoms, number * sizeof symptom, (number + 1) * sizeof symptom);
    problem->symptoms[number] = symptom;
}

static void sort_symptoms(struct fm_cube_problem *problem)
{
    fm_sort(problem->symptoms, problem->symptom_count, sizeof *problem->symptoms,
            fm_compare_symptoms);
}

void fm_idle_symptoms_find(const struct fm_idle_search *search, struct fm_cube_problem *problems,
                           struct fm_cube_problem *waiting)
{
    const struct fm_analysis *analysis = search->formation->analysis;
    const unsigned workers = fm_engine_workers(analysis->engine);
    struct listing listing = {search, fm_allocate_apart(workers, sizeof *listing.workers)};
    FM_VECTOR(struct part) own = {0}, all = {0};
    fm_engine_run(analysis->engine, list_all, &listing);
    for (unsigned w = 0; w < workers; w++) {
        struct worker *worker = &listing.workers[w];
        fm_vector_reserve(&own, worker->parts.count);
        for (size_t i = 0; i < worker->parts.count; i++) {
            own.items[own.count++] = worker->parts.items[i];
        }
        fm_vector_free(&worker->parts);
    }
    fm_free(listing.workers);
    fm_team_collect_vector(analysis->team, &own, &all);
    fm_vector_free(&own);
    fm_sort(all.items, all.count, sizeof *all.items, compare_parts);
    for (size_t i = 0, end; i < all.count; i = end) {
        const struct part *first = &all.items[i];
        for (end = i + 1;
             end < all.count && all.items[end].problem == first->problem &&
             all.items[end].metric == first->metric && all.items[end].callpath == first->callpath;
             end++) {
        }
        add_symptom(first, end - i, search->formation->cost_shift,
                    first->problem < search->shown.count ? &problems[first->problem] : waiting);
    }
    fm_vector_free(&all);
    for (uint32_t p = 0; fm_team_leads(analysis->team) && p < search->shown.count; p++) {
        sort_symptoms(&problems[p]);
    }
    sort_symptoms(waiting);
}
