/* SPDX-License-Identifier: BSD-3-Clause */
/* All locations are walked once more from iteration to iteration, for all problems of a phase at
 * once. The times of a block of iterations stand in one table, which all processes of the team fill
 * together, so that memory is bounded. */
#include "analysis/problems/excess.h"

#include <string.h>

/** Times in the table of a block. */
#define TABLE_SIZE ((size_t)1 << 21)

/* Instead of a node or location: several others. */
#define OTHERS (FM_NONE - 1)

/* A problem whose excess is sought. */
struct subject {
    uint32_t number; /* among the shown ones */
    uint32_t callpath;
    uint32_t phase; /* FM_CUBE_NONE: the whole run */
    uint32_t occasion_count;
    uint64_t first[FM_CUBE_OCCASIONS], last[FM_CUBE_OCCASIONS]; /* iterations of the occasions */
};

/* Times of a location in some iterations. */
struct sum {
    uint64_t ticks;
    uint64_t count;
};

/* What is known of a subject after all blocks. */
struct result {
    bool *is_part;    /* [location]: is one of the problem */
    struct sum *sums; /* [location]: in the iterations of the occasions */
    uint64_t balanced, removed;
    uint64_t longest; /* sum of the longest times of the iterations */
    uint64_t on_path; /* on the critical path */
    uint64_t limit;   /* of the gain: waiting of that process without a location of the problem that
                         waits least, and time of the call path on the critical path */
    uint32_t only;    /* the one location that takes part; FM_NONE: none does; OTHERS: several */
};

/* A node whose time is part of a subject, which calls it. */
struct callee {
    uint32_t subject, visit;
};

/* One location on its way through the iterations. */
struct cursor {
    struct fm_busy_time walk; /* a copy that shares all but the place of the walk */
    uint32_t *visits; /* [subject]: node; FM_NONE: none, nor has any location of the process;
                         OTHERS: other locations of the process have it */
    FM_VECTOR(struct callee) callees;
};

struct search {
    const struct fm_formation *formation;
    const struct fm_shown_problems *shown;
    const struct fm_iterations *iterations;
    const struct fm_critical_path *path;
    uint64_t begin, end;
    const uint64_t *busy;           /* [process]: how long it does not wait */
    uint64_t threads;               /* locations with events of the only process; 0: of several */
    const struct subject *subjects; /* of one phase */
    uint32_t count;
    struct cursor *cursors; /* by location */
    uint64_t block;         /* number of its first iteration */
    uint32_t block_size;
    uint64_t *table; /* [subject][iteration of the block][location]: ticks + 1; 0: takes no part */
};

/* ---- the times of a block ---- */

static uint64_t *table_row(const struct search *search, uint32_t subject, uint32_t iteration)
{
    size_t locations = search->formation->analysis->trace->location_count;
    return search->table + ((size_t)subject * search->block_size + iteration) * locations;
}

/* @return whether a location takes part in an iteration; its time in `*span` */
static bool has_iteration(const struct search *search, uint32_t location, uint64_t iteration,
                          struct fm_iteration_span *span)
{
    uint32_t phase = search->subjects[0].phase;
    if (phase == FM_CUBE_NONE) {
        const struct fm_location *at = &search->formation->analysis->trace->locations[location];
        *span = (struct fm_iteration_span){at->begin, at->end, 0};
        return iteration == 0 && at->event_count != 0;
    }
    const struct fm_iteration_spans *spans = fm_iterations_of(search->iterations, location, phase);
    if (iteration >= spans->items.count) {
        return false;
    }
    *span = spans->items.items[iteration];
    return true;
}

/* @return the time of a subject, with what it calls that is part of it. `busy`: [node] */
static uint64_t busy_in(const struct cursor *cursor, uint32_t subject, const uint64_t *busy)
{
    const uint32_t visit = cursor->visits[subject];
    uint64_t time = visit >= OTHERS ? 0 : busy[visit];
    for (size_t i = 0; i < cursor->callees.count; i++) {
        if (cursor->callees.items[i].subject == subject) {
            time += busy[cursor->callees.items[i].visit];
        }
    }
    return time;
}

/* Measures one iteration of a location. `times`: [subject] */
static void measure(struct search *search, struct cursor *cursor,
                    const struct fm_busy_time *busy_time, const struct fm_iteration_span *span,
                    uint64_t *times)
{
    if (span->begin < cursor->walk.walk.time) { /* inside the instance before: a recursion */
        struct fm_profile profile = {0};
        fm_busy_time_profile(busy_time, span->begin, span->end, &profile);
        for (uint32_t s = 0; s < search->count; ++s) {
            times[s] = busy_in(cursor, s, profile.time);
        }
        fm_profile_free(&profile);
        return;
    }
    fm_busy_time_walk_to(&cursor->walk, span->begin);
    for (uint32_t s = 0; s < search->count; ++s) {
        times[s] = busy_in(cursor, s, cursor->walk.busy);
    }
    fm_busy_time_walk_to(&cursor->walk, span->end);
    for (uint32_t s = 0; s < search->count; ++s) {
        times[s] = busy_in(cursor, s, cursor->walk.busy) - times[s];
    }
}

static void measure_block(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct search *search = context;
    const struct fm_trace *trace = search->formation->analysis->trace;
    uint64_t *times = fm_allocate(search->count, sizeof *times);
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        struct fm_iteration_span span;
        for (uint32_t i = 0; i < search->block_size; ++i) {
            if (!has_iteration(search, l, search->block + i, &span)) {
                break;
            }
            struct cursor *cursor = &search->cursors[l];
            measure(search, cursor, &search->formation->busy_times[l], &span, times);
            for (uint32_t s = 0; s < search->count; ++s) {
                if (cursor->visits[s] != OTHERS) {
                    table_row(search, s, i)[l] = times[s] + 1;
                }
            }
        }
    }
    fm_free(times);
}

/* ---- what a block says ---- */

/* @return element `rank` of the sorted list; reorders the list [quickselect, Hoare 1961] */
static uint64_t select_element(uint64_t *values, size_t count, size_t rank)
{
    size_t low = 0, high = count;
    while (high - low > 1) {
        uint64_t pivot = values[low + (high - low) / 2];
        size_t left = low, middle = low, right = high;
        while (middle < right) {
            uint64_t value = values[middle];
            if (value < pivot) {
                values[middle++] = values[left];
                values[left++] = value;
            } else if (value > pivot) {
                values[middle] = values[--right];
                values[right] = value;
            } else {
                ++middle;
            }
        }
        if (rank < left) {
            high = left;
        } else if (rank >= right) {
            low = right;
        } else {
            return pivot;
        }
    }
    return values[low];
}

static bool is_in_occasion(const struct subject *subject, uint64_t iteration)
{
    for (uint32_t i = 0; i < subject->occasion_count; ++i) {
        if (subject->first[i] <= iteration && iteration <= subject->last[i]) {
            return true;
        }
    }
    return subject->occasion_count == 0;
}

/* Adds an iteration. `present`: room for a time of each location */
static void add_iteration(const struct subject *subject, uint64_t iteration, const uint64_t *row,
                          uint32_t locations, uint64_t *present, struct result *result)
{
    bool is_of_occasion = is_in_occasion(subject, iteration);
    unsigned __int128 sum = 0;
    uint64_t longest = 0;
    size_t count = 0;
    for (uint32_t l = 0; l < locations; ++l) {
        if (row[l] == 0) {
            continue;
        }
        uint64_t ticks = row[l] - 1;
        result->only = result->only == FM_NONE || result->only == l ? l : OTHERS;
        present[count++] = ticks;
        sum += ticks;
        if (result->is_part[l] && ticks > longest) {
            longest = ticks;
        }
        if (is_of_occasion) {
            result->sums[l].ticks += ticks;
            ++result->sums[l].count;
        }
    }
    if (count == 0) {
        return;
    }
    uint64_t mean = (uint64_t)(sum / count);
    uint64_t median = select_element(present, count, (count - 1) / 2);
    result->longest += longest;
    result->balanced += longest > mean ? longest - mean : 0;
    result->removed += longest > median ? longest - median : 0;
}

static void add_block(const struct search *search, uint64_t *present, struct result *results)
{
    uint32_t locations = search->formation->analysis->trace->location_count;
    for (uint32_t s = 0; s < search->count; ++s) {
        for (uint32_t i = 0; i < search->block_size; ++i) {
            add_iteration(&search->subjects[s], search->block + i, table_row(search, s, i),
                          locations, present, &results[s]);
        }
    }
}

/* ---- the subjects of one phase ---- */

/* Finds the nodes of the call paths in a location's call tree. */
static void find_nodes(const struct search *search, const struct fm_location *location,
                       struct cursor *cursor)
{
    memset(cursor->visits, 0xff, search->count * sizeof *cursor->visits);
    for (uint32_t v = 0; v < location->profile.count; ++v) {
        const uint32_t callpath = location->profile.items[v].callpath;
        for (uint32_t s = 0; s < search->count; ++s) {
            if (callpath == search->subjects[s].callpath) {
                cursor->visits[s] = v;
            } else if (fm_shown_problem_has(search->shown, search->formation->analysis,
                                            search->subjects[s].number, callpath)) {
                fm_vector_push(&cursor->callees, ((struct callee){s, v}));
            }
        }
    }
}

/* Locations of a process without the call path take no part beside those that have it; if none has
 * it, the first one with events stands for the process. */
static void choose_locations(struct search *search, uint32_t first, uint32_t last)
{
    const struct fm_location *locations = search->formation->analysis->trace->locations;
    for (uint32_t s = 0; s < search->count; ++s) {
        uint32_t stands = FM_NONE; /* for the process */
        bool is_visited = false;
        for (uint32_t l = first; l < last; ++l) {
            is_visited |= search->cursors[l].visits[s] != FM_NONE;
            stands = stands == FM_NONE && locations[l].event_count != 0 ? l : stands;
        }
        for (uint32_t l = first; l < last; ++l) {
            if (search->cursors[l].visits[s] == FM_NONE && (is_visited || l != stands)) {
                search->cursors[l].visits[s] = OTHERS;
            }
        }
    }
}

static void open_cursors(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct search *search = context;
    const struct fm_trace *trace = search->formation->analysis->trace;
    for (uint32_t p = first; p < last; ++p) {
        for (uint32_t l = fm_trace_first_location(trace, p);
             l < fm_trace_first_location(trace, p + 1); ++l) {
            struct cursor *cursor = &search->cursors[l];
            fm_busy_time_reopen(&search->formation->busy_times[l], &cursor->walk);
            cursor->visits = fm_allocate(search->count, sizeof *cursor->visits);
            find_nodes(search, &trace->locations[l], cursor);
        }
        choose_locations(search, fm_trace_first_location(trace, p),
                         fm_trace_first_location(trace, p + 1));
    }
}

static void close_cursors(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct search *search = context;
    const struct fm_trace *trace = search->formation->analysis->trace;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        fm_free(search->cursors[l].walk.busy);
        fm_free(search->cursors[l].visits);
        fm_vector_free(&search->cursors[l].callees);
    }
}

/* Goes through all iterations, block by block. */
static void go_through(struct search *search, struct result *results)
{
    const struct fm_analysis *analysis = search->formation->analysis;
    uint32_t phase = search->subjects[0].phase, locations = analysis->trace->location_count;
    uint64_t iterations = phase == FM_CUBE_NONE ? 1 : search->iterations->phases[phase].iterations;
    size_t width = (size_t)search->count * locations;
    size_t size = TABLE_SIZE / width > iterations ? iterations : TABLE_SIZE / width;
    uint64_t *present = fm_allocate(locations, sizeof *present);
    search->block_size = size == 0 ? 1 : (uint32_t)size;
    search->table = fm_allocate(search->block_size * width, sizeof *search->table);
    search->cursors = fm_allocate(analysis->trace->location_count, sizeof *search->cursors);
    fm_engine_run(analysis->engine, open_cursors, search);
    for (search->block = 0; search->block < iterations; search->block += search->block_size) {
        memset(search->table, 0, search->block_size * width * sizeof *search->table);
        fm_engine_run(analysis->engine, measure_block, search);
        fm_team_sum(analysis->team, search->table, search->block_size * width);
        add_block(search, present, results);
    }
    fm_engine_run(analysis->engine, close_cursors, search);
    fm_free(search->cursors);
    fm_free(search->table);
    fm_free(present);
}

static uint64_t mean_of(const struct sum *sum)
{
    return sum->count == 0 ? 0 : sum->ticks / sum->count;
}

/* @return a gain, enlarged where the call path is on the critical path more than once an iteration
 */
static uint64_t gain_of(const struct result *result, uint64_t gain)
{
    if (result->on_path > result->longest && result->longest > 0) {
        gain = (uint64_t)((unsigned __int128)gain * result->on_path / result->longest);
    }
    return gain < result->limit ? gain : result->limit;
}

/* @return the gains of what a single thread of the only process executes. Nothing else shows what
 * it would take elsewhere: the other threads take part with no time. */
static struct fm_cube_gain gain_of_single(const struct result *result, uint64_t threads)
{
    uint64_t removed = result->on_path < result->longest ? result->on_path : result->longest;
    return (struct fm_cube_gain){
        .is_known = threads > 1,
        .balanced = threads > 1 ? removed - removed / threads : 0,
        .removed = threads > 1 ? removed : 0,
    };
}

/* States a result. `threads`: as in the search; `others`: room for a time of each location */
static void describe(const struct result *result, uint32_t locations, uint64_t threads,
                     uint64_t *others, struct fm_cube_problem *problem)
{
    struct sum there = {0};
    uint64_t longest = 0;
    size_t count = 0;
    for (uint32_t l = 0; l < locations; ++l) {
        if (result->is_part[l]) {
            there.ticks += result->sums[l].ticks;
            there.count += result->sums[l].count;
        } else if (result->sums[l].count > 0) {
            const uint64_t mean = mean_of(&result->sums[l]);
            others[count++] = mean;
            longest = mean > longest ? mean : longest;
        }
    }
    problem->excess = (struct fm_cube_excess){
        .there = mean_of(&there),
        .elsewhere = count == 0 ? 0 : select_element(others, count, (count - 1) / 2),
        .longest = longest,
        .is_known = there.count > 0,
    };
    problem->gain = (struct fm_cube_gain){
        .is_known = there.count > 0,
        .balanced = gain_of(result, result->balanced),
        .removed = gain_of(result, result->removed),
    };
    if (threads > 0 && result->only < OTHERS) {
        problem->gain = gain_of_single(result, threads);
    }
}

/* @return [process]: how long the thread that waits most does not wait (other threads may be idle
 * where the trace shows no waiting); to be freed */
static uint64_t *find_busy_times(const struct fm_formation *formation)
{
    const struct fm_analysis *analysis = formation->analysis;
    const struct fm_trace *trace = analysis->trace;
    uint64_t *busy = fm_allocate(trace->process_count, sizeof *busy);
    for (uint32_t l = 0; l < trace->location_count; ++l) {
        uint32_t process = fm_trace_process(trace, l);
        const struct fm_location *location = &trace->locations[l];
        if (!fm_engine_owns(analysis->engine, process) || location->event_count == 0) {
            continue;
        }
        const struct fm_wait_list *waits = &formation->busy_times[l].waits;
        uint64_t ticks = location->end - location->begin - waits->before[waits->count];
        busy[process] = busy[process] == 0 || ticks < busy[process] ? ticks : busy[process];
    }
    fm_team_sum(analysis->team, busy, trace->process_count);
    return busy;
}

/* @return the number of locations with events, if they are of one process; else 0 */
static uint64_t count_threads(const struct fm_analysis *analysis)
{
    const struct fm_trace *trace = analysis->trace;
    uint64_t count = 0;
    for (uint32_t l = 0; trace->process_count == 1 && l < trace->location_count; ++l) {
        count += fm_engine_owns(analysis->engine, 0) && trace->locations[l].event_count != 0;
    }
    fm_team_sum(analysis->team, &count, 1);
    return count;
}

/* @return how long a problem is on the critical path, with all call paths that are part of it */
static uint64_t time_on_path(const struct search *search, uint32_t problem)
{
    const struct fm_trace *trace = search->formation->analysis->trace;
    uint64_t time = 0;
    for (uint32_t c = 0; c < trace->callpaths.count; c++) {
        const bool is_part =
            fm_shown_problem_has(search->shown, search->formation->analysis, problem, c);
        time += is_part ? search->path->path_total[c] : 0;
    }
    return time;
}

/* Marks the locations of a problem, and limits its gain. The run cannot become shorter than what a
 * process without any of them does without waiting. */
static void mark_locations(const struct search *search, const struct fm_shown_problem *shown,
                           struct result *result)
{
    const struct fm_trace *trace = search->formation->analysis->trace;
    bool *is_process = fm_allocate(trace->process_count, sizeof *is_process);
    result->is_part = fm_allocate(trace->location_count, sizeof *result->is_part);
    for (uint32_t i = shown->first; i < shown->end; ++i) {
        uint32_t location = search->shown->locations[i];
        result->is_part[location] = true;
        is_process[fm_trace_process(trace, location)] = true;
    }
    uint64_t run_time = search->end - search->begin;
    result->limit = run_time;
    for (uint32_t p = 0; p < trace->process_count; ++p) {
        uint64_t busy = search->busy[p];
        if (!is_process[p] && busy <= run_time && run_time - busy < result->limit) {
            result->limit = run_time - busy;
        }
    }
    fm_free(is_process);
    /* The rest of the critical path takes as long as before, whatever happens to the call path. */
    result->on_path = time_on_path(search, (uint32_t)(shown - search->shown->items));
    bool is_of_run = search->path->spans == NULL && search->path->last_location != FM_NONE;
    result->limit = is_of_run && result->on_path < result->limit ? result->on_path : result->limit;
}

static void examine(struct search *search, struct fm_cube_problem *problems)
{
    const struct fm_analysis *analysis = search->formation->analysis;
    uint32_t locations = analysis->trace->location_count;
    struct result *results = fm_allocate(search->count, sizeof *results);
    for (uint32_t s = 0; s < search->count; ++s) {
        mark_locations(search, &search->shown->items[search->subjects[s].number], &results[s]);
        results[s].sums = fm_allocate(locations, sizeof *results[s].sums);
        results[s].only = FM_NONE;
    }
    go_through(search, results);
    uint64_t *others = fm_allocate(locations, sizeof *others);
    for (uint32_t s = 0; s < search->count; ++s) {
        if (fm_team_leads(analysis->team)) {
            describe(&results[s], locations, search->threads, others,
                     &problems[search->subjects[s].number]);
        }
        fm_free(results[s].is_part);
        fm_free(results[s].sums);
    }
    fm_free(others);
    fm_free(results);
}

/* ---- all subjects ---- */

static struct subject describe_subject(const struct fm_cube_problem *problem, uint32_t number)
{
    struct subject subject = {
        .number = number,
        .callpath = problem->callpath,
        .phase = problem->phase,
        .occasion_count = problem->phase == FM_CUBE_NONE ? 0 : problem->occasion_count,
    };
    for (uint32_t i = 0; i < subject.occasion_count; ++i) {
        subject.first[i] = problem->occasions[i].first;
        subject.last[i] = problem->occasions[i].last;
    }
    return subject;
}

void fm_excess_find(const struct fm_formation *formation, const struct fm_shown_problems *shown,
                    const struct fm_iterations *iterations, const struct fm_critical_path *path,
                    uint64_t begin, uint64_t end, struct fm_cube_problem *problems)
{
    struct fm_team *team = formation->analysis->team;
    FM_VECTOR(struct subject) own = {0};
    for (uint32_t phase = 0; fm_team_leads(team) && phase <= iterations->phase_count; ++phase) {
        uint32_t wanted = phase == iterations->phase_count ? FM_CUBE_NONE : phase;
        for (uint32_t i = 0; i < shown->count; ++i) {
            if (problems[i].kind == FM_CAUSE_IMBALANCE && problems[i].phase == wanted) {
                fm_vector_push(&own, describe_subject(&problems[i], i));
            }
        }
    }
    size_t bytes;
    struct subject *subjects =
        fm_team_spread(team, own.items, own.count * sizeof *own.items, &bytes);
    size_t count = bytes / sizeof *subjects;
    uint64_t *busy = find_busy_times(formation);
    uint64_t threads = count_threads(formation->analysis);
    for (size_t first = 0, last; first < count; first = last) {
        for (last = first + 1; last < count && subjects[last].phase == subjects[first].phase;) {
            ++last;
        }
        struct search search = {
            .formation = formation,
            .shown = shown,
            .iterations = iterations,
            .path = path,
            .begin = begin,
            .end = end,
            .busy = busy,
            .threads = threads,
            .subjects = subjects + first,
            .count = (uint32_t)(last - first),
        };
        examine(&search, problems);
    }
    fm_vector_free(&own);
    fm_free(subjects);
    fm_free(busy);
}
