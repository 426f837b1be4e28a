/* SPDX-License-Identifier: BSD-3-Clause */
/* Fork, idle threads and limited parallelism [W02 3.3]: times of OpenMP that are no wait states. */
#include "analysis/model/busy_time.h"
#include "analysis/pattern.h"
#include "analysis/threads/team_instances.h"
#include "base/containers/map.h"
#include "base/containers/sort.h"

#include <stdlib.h>
#include <string.h>

/* ---- fork ---- */

static bool is_parallel(const struct fm_trace *trace, const struct fm_location *location,
                        uint32_t visit)
{
    static const char parallel[] = "!$omp parallel";
    return strncmp(trace->regions[location->profile.items[visit].region].name, parallel,
                   sizeof parallel - 1) == 0;
}

/* @return whether something else than the begin of the team comes between a fork and the change of
 * state behind it */
static bool is_interrupted(const struct fm_location *location, uint32_t row)
{
    const struct fm_thread_record *fork = &location->threads.items[row];
    const uint64_t t = location->state_since.items[fork->next_state];
    const uint32_t next = fork->next_activity;
    uint32_t i = row + 1;
    for (; i < location->threads.count && location->threads.items[i].next_state == fork->next_state;
         i++) {
        if (location->threads.items[i].type == FM_THREAD_FORK ||
            location->threads.items[i].type == FM_THREAD_JOIN) {
            return true;
        }
    }
    if (next == location->enter.count || location->enter.items[next] > t ||
        (i < location->threads.count && location->threads.items[i].next_activity == next)) {
        return false;
    }
    return location->enter.items[next] < t ||
           location->profile.items[location->visit.items[next]].parent == fork->visit;
}

/* A master's time from the fork record to the Enter of the parallel region, without the
 * recorder's. */
static void find_forks(const struct fm_trace *trace, const struct fm_location *location,
                       struct fm_findings *findings)
{
    for (uint32_t i = 0; i < location->threads.count; i++) {
        const struct fm_thread_record *fork = &location->threads.items[i];
        if (fork->type != FM_THREAD_FORK || fork->visit == FM_NONE ||
            fork->next_state >= location->state_since.count) {
            continue;
        }
        const uint32_t entered = location->state_visit.items[fork->next_state];
        if (entered != FM_NONE && location->profile.items[entered].parent == fork->visit &&
            is_parallel(trace, location, entered) && !is_interrupted(location, i)) {
            const uint64_t ticks =
                location->state_since.items[fork->next_state] - fork->time - fork->overhead;
            fm_vector_push(&findings->moved,
                           ((struct fm_moved_time){ticks, fork->visit, FM_METRIC_OMP_FORK}));
        }
    }
}

/* ---- idle threads ---- */

/* Between two instants the master is in one team, or in none. */
struct gap {
    uint64_t from, to;
    uint32_t team; /* instance; FM_NONE: none, it executes serial code */
    uint32_t idle; /* number of threads that are idle in the whole gap */
    bool skipped;  /* the team is not known */
};

/* Inside a gap the number of idle threads changes. */
struct step {
    uint64_t time;
    int32_t change;
};

/* A thread is in some of its regions. */
struct span {
    uint64_t from, to;
};

/* State of one worker. */
struct idling {
    const struct fm_finder *finder;
    struct fm_teams teams;
    FM_VECTOR(struct gap) gaps;
    FM_VECTOR(struct span) spans;
    FM_VECTOR(struct step) steps; /* of threads that are idle in a part of a gap only */
    struct fm_busy_time master;
    struct fm_profile whole, part;
    uint64_t *ticks[2]; /* [limited][node of the master's call tree]: of the current thread */
};

/* @return the first location of a process that forks; FM_NONE: none does */
static uint32_t find_master(const struct fm_trace *trace, uint32_t process)
{
    for (uint32_t l = fm_trace_first_location(trace, process);
         l < fm_trace_first_location(trace, process + 1); l++) {
        const struct fm_location *location = &trace->locations[l];
        for (size_t i = 0; i < location->threads.count; i++) {
            if (location->threads.items[i].type == FM_THREAD_FORK) {
                return l;
            }
        }
    }
    return FM_NONE;
}

/* Lists the outermost teams of a master and what lies between them, from `begin` to `end`. */
static void list_gaps(struct idling *idling, uint32_t master, uint64_t begin, uint64_t end)
{
    const struct fm_location *location = &idling->finder->analysis->trace->locations[master];
    struct fm_map team_of_row = {0};
    for (size_t m = 0; m < idling->teams.members.count; m++) {
        const struct fm_team_member *member = &idling->teams.members.items[m];
        if (member->location == master) {
            *fm_map_at(&team_of_row, member->record, member->team) = member->team;
        }
    }
    struct gap gap = {.from = begin, .team = FM_NONE};
    uint32_t depth = 0;
    idling->gaps.count = 0;
    for (uint32_t i = 0; i < location->threads.count; i++) {
        const struct fm_thread_record *record = &location->threads.items[i];
        const bool forks = record->type == FM_THREAD_FORK;
        const bool joins = record->type == FM_THREAD_JOIN && depth > 0;
        if (record->type == FM_THREAD_TEAM_BEGIN && depth == 1 && gap.skipped) {
            gap.team = fm_map_get(&team_of_row, i);
            gap.skipped = false;
        }
        depth = forks ? depth + 1 : joins ? depth - 1 : depth;
        if ((forks && depth == 1) || (joins && depth == 0)) {
            gap.to = record->time;
            fm_vector_push(&idling->gaps, gap);
            gap = (struct gap){.from = record->time, .team = FM_NONE, .skipped = forks};
        }
    }
    gap.to = end;
    fm_vector_push(&idling->gaps, gap);
    fm_map_free(&team_of_row);
}

/* Lists when a location is in any of its regions. */
static void list_spans(struct idling *idling, const struct fm_location *location)
{
    const struct fm_findings none = {0};
    struct fm_busy_time busy_time;
    struct fm_busy_time_walk walk = {0};
    idling->spans.count = 0;
    if (location->event_count == 0) {
        return;
    }
    fm_busy_time_open(&busy_time, location, &none);
    fm_busy_time_walk_to(&busy_time, UINT64_MAX);
    for (uint64_t t = location->begin; t < location->end; t = walk.until) {
        fm_busy_time_look(&busy_time, &walk, t);
        const uint64_t to = walk.until < location->end ? walk.until : location->end;
        if (walk.visit == busy_time.nodes) {
            continue;
        }
        struct span *last =
            idling->spans.count == 0 ? NULL : &idling->spans.items[idling->spans.count - 1];
        if (last != NULL && last->to == t) {
            last->to = to;
        } else {
            fm_vector_push(&idling->spans, ((struct span){t, to}));
        }
    }
    fm_busy_time_close(&busy_time);
}

static void add_profile(const struct fm_profile *profile, uint64_t *ticks)
{
    for (uint32_t i = 0; i < profile->count; i++) {
        ticks[profile->visits[i]] += profile->time[profile->visits[i]];
    }
}

/* Adds what the master executes in a part of a gap in which a thread is idle. */
static void add_part(struct idling *idling, uint64_t from, uint64_t to, uint64_t *ticks)
{
    fm_busy_time_profile(&idling->master, from, to, &idling->part);
    add_profile(&idling->part, ticks);
    fm_vector_push(&idling->steps, ((struct step){from, 1}));
    fm_vector_push(&idling->steps, ((struct step){to, -1}));
}

/* Adds what the master executes while a thread, whose spans from `next` on are not over, is outside
 * of all of its regions. `idling->whole`: what it executes in the whole gap. */
static void add_gap(struct idling *idling, struct gap *gap, size_t next, uint64_t *ticks)
{
    const struct span *spans = idling->spans.items;
    const size_t count = idling->spans.count;
    if (next == count || spans[next].from >= gap->to) {
        add_profile(&idling->whole, ticks);
        gap->idle++;
        return;
    }
    uint64_t from = gap->from;
    for (; next < count && spans[next].from < gap->to; next++) {
        if (spans[next].from > from) {
            add_part(idling, from, spans[next].from, ticks);
        }
        from = spans[next].to > from ? spans[next].to : from;
    }
    if (from < gap->to) {
        add_part(idling, from, gap->to, ticks);
    }
}

static int compare_steps(const void *a, const void *b)
{
    const struct step *left = a, *right = b;
    return left->time < right->time ? -1 : left->time > right->time;
}

/* Lists a part of a gap in which so many threads are idle. */
static void list_idle(struct fm_findings *findings, const struct gap *gap, uint64_t from,
                      uint64_t to, int64_t threads)
{
    if (from < to && threads > 0) {
        fm_vector_push(&findings->idle,
                       ((struct fm_idle_span){from, to, (uint32_t)threads, gap->team != FM_NONE}));
    }
}

/* Lists when how many threads are idle: in each gap a step function. */
static void list_all_idle(struct idling *idling, struct fm_findings *findings)
{
    size_t next = 0;
    int64_t partly = 0; /* threads that are idle in a part of the gap only */
    fm_sort(idling->steps.items, idling->steps.count, sizeof *idling->steps.items, compare_steps);
    for (size_t g = 0; g < idling->gaps.count; g++) {
        const struct gap *gap = &idling->gaps.items[g];
        uint64_t from = gap->from;
        for (; next < idling->steps.count && idling->steps.items[next].time < gap->to; next++) {
            list_idle(findings, gap, from, idling->steps.items[next].time, gap->idle + partly);
            from = idling->steps.items[next].time;
            partly += idling->steps.items[next].change;
        }
        list_idle(findings, gap, from, gap->to, gap->idle + partly);
    }
    idling->steps.count = 0;
}

static int compare_members(const void *a, const void *b)
{
    const struct fm_team_member *left = a, *right = b;
    if (left->team != right->team) {
        return left->team < right->team ? -1 : 1;
    }
    return left->location < right->location ? -1 : left->location > right->location;
}

static bool is_member(const struct fm_teams *teams, uint32_t team, uint32_t location)
{
    const struct fm_team_member wanted = {.team = team, .location = location};
    return bsearch(&wanted, teams->members.items, teams->members.count, sizeof wanted,
                   compare_members) != NULL;
}

/* Books what was added for a thread on the call paths of its master. */
static void book(struct idling *idling, uint32_t master, uint32_t thread)
{
    static const fm_metric_t metrics[] = {FM_METRIC_OMP_IDLE_THREADS,
                                          FM_METRIC_OMP_LIMITED_PARALLELISM};
    const struct fm_analysis *analysis = idling->finder->analysis;
    const struct fm_location *location = &analysis->trace->locations[master];
    for (size_t limited = 0; limited < 2; limited++) {
        for (size_t v = 0; v < location->profile.count; v++) {
            uint64_t *ticks = &idling->ticks[limited][v];
            if (*ticks != 0) {
                fm_vector_push(&analysis->findings[thread].outside,
                               ((struct fm_outside_time){
                                   *ticks, location->profile.items[v].callpath, metrics[limited]}));
                *ticks = 0;
            }
        }
    }
}

/* Each thread in turn: the spans of one thread are in memory at a time. */
static void find_idle(struct idling *idling, uint32_t process, uint32_t master)
{
    const struct fm_trace *trace = idling->finder->analysis->trace;
    const struct fm_location *location = &trace->locations[master];
    const struct fm_findings none = {0};
    /* Idle time is booked on what the master is in: on a merged call, not on the gaps in it. */
    struct fm_location whole_calls = *location;
    whole_calls.merged.count = 0;
    list_gaps(idling, master, location->begin, location->end);
    fm_busy_time_open(&idling->master, &whole_calls, &none);
    fm_busy_time_walk_to(&idling->master, UINT64_MAX);
    idling->ticks[0] = fm_allocate(location->profile.count, sizeof **idling->ticks);
    idling->ticks[1] = fm_allocate(location->profile.count, sizeof **idling->ticks);
    for (uint32_t l = fm_trace_first_location(trace, process);
         l < fm_trace_first_location(trace, process + 1); l++) {
        if (l == master || trace->locations[l].is_stream) {
            continue;
        }
        list_spans(idling, &trace->locations[l]);
        size_t next = 0;
        for (size_t g = 0; g < idling->gaps.count; g++) {
            struct gap *gap = &idling->gaps.items[g];
            while (next < idling->spans.count && idling->spans.items[next].to <= gap->from) {
                next++;
            }
            if (gap->skipped || (gap->team != FM_NONE && is_member(&idling->teams, gap->team, l))) {
                continue;
            }
            fm_busy_time_profile(&idling->master, gap->from, gap->to, &idling->whole);
            add_gap(idling, gap, next, idling->ticks[gap->team != FM_NONE]);
        }
        book(idling, master, l);
    }
    list_all_idle(idling, &idling->finder->analysis->findings[master]);
    fm_free(idling->ticks[0]);
    fm_free(idling->ticks[1]);
    fm_busy_time_close(&idling->master);
}

static void find(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct idling idling = {.finder = context};
    const struct fm_analysis *analysis = idling.finder->analysis;
    const struct fm_trace *trace = analysis->trace;
    (void)worker;
    for (uint32_t process = first; process < last; process++) {
        const uint32_t master = find_master(trace, process);
        if (master == FM_NONE) {
            continue;
        }
        for (uint32_t l = fm_trace_first_location(trace, process);
             l < fm_trace_first_location(trace, process + 1); l++) {
            find_forks(trace, &trace->locations[l], &analysis->findings[l]);
        }
        fm_teams_find(trace, process, &idling.teams);
        find_idle(&idling, process, master);
    }
    fm_teams_free(&idling.teams);
    fm_vector_free(&idling.gaps);
    fm_vector_free(&idling.spans);
    fm_vector_free(&idling.steps);
    fm_profile_free(&idling.whole);
    fm_profile_free(&idling.part);
}

static void detect(const struct fm_finder *finder)
{
    struct fm_finder own = *finder;
    fm_engine_run(finder->analysis->engine, find, &own);
}

const struct fm_pattern fm_pattern_idle_threads = {
    .name = "Idle threads",
    .detect = detect,
    .of_threads = true,
};
