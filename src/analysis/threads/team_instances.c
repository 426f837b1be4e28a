/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/threads/team_instances.h"

#include "base/containers/keyed_sort.h"
#include "base/containers/map.h"
#include "base/containers/sort.h"

/* An instance that the current thread is in. */
struct open_team {
    uint32_t number;
    uint32_t barriers; /* of the thread so far */
};

/* State while the records of a process's threads are read, one thread after the other. */
struct reading {
    const struct fm_trace *trace;
    struct fm_teams *teams;
    size_t forked; /* number of instances with forks, the first ones */
    FM_VECTOR(uint32_t)
    forks; /* instances that the thread has forked and not joined; FM_NONE: unknown */
    FM_VECTOR(struct open_team) open; /* the outermost first */
    struct fm_map next;               /* team -> the first instance that this thread may begin */
    struct fm_map begun;              /* team -> beginnings by this thread that belong to no fork */
    struct fm_map numbered;           /* (team, number of such a beginning) -> instance */
};

/* Notes the instances that a thread begins as their master. */
static void note_masters(struct reading *reading, uint32_t l)
{
    const struct fm_location *location = &reading->trace->locations[l];
    struct fm_teams *teams = reading->teams;
    uint32_t fork = FM_NONE;
    reading->forks.count = 0;
    for (uint32_t i = 0; i < location->threads.count; i++) {
        const struct fm_thread_record *record = &location->threads.items[i];
        if (record->type == FM_THREAD_FORK) {
            fm_vector_push(&reading->forks, FM_NONE);
            fork = i;
        } else if (record->type == FM_THREAD_TEAM_BEGIN && fork != FM_NONE) {
            reading->forks.items[reading->forks.count - 1] = (uint32_t)teams->instances.count;
            fm_vector_push(&teams->instances, ((struct fm_team_instance){
                                                  .fork = location->threads.items[fork].time,
                                                  .join = UINT64_MAX,
                                                  .communicator = record->team,
                                                  .master = l,
                                                  .fork_record = fork,
                                              }));
            fork = FM_NONE;
        } else if (record->type == FM_THREAD_JOIN && reading->forks.count > 0) {
            const uint32_t team = reading->forks.items[--reading->forks.count];
            if (team != FM_NONE) {
                teams->instances.items[team].join = record->time;
            }
            fork = FM_NONE;
        }
    }
}

static int compare_teams(const void *a, const void *b)
{
    const struct fm_team_instance *left = a, *right = b;
    if (left->communicator != right->communicator) {
        return left->communicator < right->communicator ? -1 : 1;
    }
    if (left->fork != right->fork) {
        return left->fork < right->fork ? -1 : 1;
    }
    if (left->master != right->master) {
        return left->master < right->master ? -1 : 1;
    }
    return left->fork_record < right->fork_record ? -1 : left->fork_record > right->fork_record;
}

/* @return the first instance of a team; FM_NONE: none was forked */
static uint32_t first_forked(const struct reading *reading, uint32_t communicator)
{
    const struct fm_team_instance *teams = reading->teams->instances.items;
    size_t low = 0, high = reading->forked;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (teams[middle].communicator < communicator) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < reading->forked && teams[low].communicator == communicator ? (uint32_t)low
                                                                            : FM_NONE;
}

/* @return the instance that a thread begins: the first one that it has not begun yet and that was
 * not joined before; FM_NONE: no such one was forked */
static uint32_t forked_instance(struct reading *reading, const struct fm_thread_record *begin)
{
    const struct fm_team_instance *teams = reading->teams->instances.items;
    const uint32_t first = first_forked(reading, begin->team);
    if (first == FM_NONE) {
        return FM_NONE;
    }
    uint32_t *next = fm_map_at(&reading->next, begin->team, first);
    while (*next < reading->forked && teams[*next].communicator == begin->team &&
           teams[*next].join < begin->time) {
        ++*next;
    }
    const bool found = *next < reading->forked && teams[*next].communicator == begin->team &&
                       teams[*next].fork <= begin->time;
    return found ? (*next)++ : FM_NONE;
}

/* @return the instance that a thread, whose recording had pauses or not, begins */
static uint32_t instance_of(struct reading *reading, const struct fm_thread_record *begin,
                            bool has_pauses)
{
    const uint32_t forked = forked_instance(reading, begin);
    if (forked != FM_NONE) {
        return forked;
    }
    const uint32_t next = (uint32_t)reading->teams->instances.count;
    const uint32_t number = (*fm_map_at(&reading->begun, begin->team, 0))++;
    /* If other forks of the team are recorded, this one fell into a pause: beginnings of other
     * threads need not belong to it. */
    const uint32_t instance =
        has_pauses && first_forked(reading, begin->team) != FM_NONE
            ? next
            : *fm_map_at(&reading->numbered, (uint64_t)begin->team << 32 | number, next);
    if (instance == next) {
        fm_vector_push(&reading->teams->instances,
                       ((struct fm_team_instance){.fork = begin->time,
                                                  .communicator = begin->team,
                                                  .master = FM_NONE,
                                                  .fork_record = FM_NONE}));
    }
    struct fm_team_instance *team = &reading->teams->instances.items[instance];
    team->fork = begin->time < team->fork ? begin->time : team->fork;
    return instance;
}

/* Notes the barriers among the activities first .. last - 1, during which the thread's innermost
 * team is the same. */
static void note_barriers(struct reading *reading, uint32_t l, uint32_t first, uint32_t last)
{
    const struct fm_location *location = &reading->trace->locations[l];
    struct open_team *team = &reading->open.items[reading->open.count - 1];
    size_t next = fm_first_continuation(location, first);
    for (uint32_t a = first; a < last; a++) {
        if (next < location->continuations.count &&
            location->continuations.items[next].activity == a) {
            next++;
        } else if (fm_trace_called(reading->trace, location, a)->call == FM_CALL_TEAM_BARRIER) {
            fm_vector_push(&reading->teams->barriers,
                           ((struct fm_team_barrier){.team = team->number,
                                                     .ordinal = team->barriers++,
                                                     .location = l,
                                                     .activity = a,
                                                     .enter = location->enter.items[a]}));
        }
    }
}

static void read_thread(struct reading *reading, uint32_t l)
{
    const struct fm_location *location = &reading->trace->locations[l];
    uint32_t at = 0;
    reading->open.count = 0;
    fm_map_clear(&reading->begun);
    fm_map_clear(&reading->next);
    for (uint32_t i = 0; i < location->threads.count; i++) {
        const struct fm_thread_record *record = &location->threads.items[i];
        if (record->type != FM_THREAD_TEAM_BEGIN && record->type != FM_THREAD_TEAM_END) {
            continue;
        }
        if (reading->open.count > 0) {
            note_barriers(reading, l, at, record->next_activity);
        }
        at = record->next_activity;
        if (record->type == FM_THREAD_TEAM_BEGIN) {
            const uint32_t number = instance_of(reading, record, location->pauses.count != 0);
            fm_vector_push(&reading->open, ((struct open_team){number, 0}));
            fm_vector_push(&reading->teams->members, ((struct fm_team_member){number, l, i}));
        } else if (reading->open.count > 0) {
            reading->open.count--;
        }
    }
    if (reading->open.count > 0) {
        note_barriers(reading, l, at, (uint32_t)location->enter.count);
    }
}

/* ---- barriers of teams during which the recording was paused ---- */

/* @return whether the recording of a member was paused while the instance existed */
static bool is_paused(const struct fm_trace *trace, const struct fm_teams *teams,
                      const struct fm_team_instance *team)
{
    for (uint32_t m = 0; m < team->member_count; m++) {
        const struct fm_location *location =
            &trace->locations[teams->members.items[team->first_member + m].location];
        for (size_t p = 0; p < location->pauses.count; p++) {
            if (location->pauses.items[p].begin < team->join &&
                location->pauses.items[p].end > team->fork) {
                return true;
            }
        }
    }
    return false;
}

static int compare_by_location(const void *a, const void *b)
{
    const struct fm_team_barrier *left = a, *right = b;
    if (left->location != right->location) {
        return left->location < right->location ? -1 : 1;
    }
    return left->ordinal < right->ordinal ? -1 : left->ordinal > right->ordinal;
}

static uint64_t barrier_end(const struct fm_trace *trace, const struct fm_team_barrier *barrier)
{
    const struct fm_location *location = &trace->locations[barrier->location];
    return location->leave.items[fm_stretch_at(location, barrier->activity, UINT64_MAX)];
}

/* Numbers the barriers of an instance anew, by time: calls of members are missing, so that the j-th
 * ones need not belong together. No member leaves a barrier before all have entered it: of the
 * members' next calls, those that were entered before the first of them was left are one barrier.
 * O(calls x members) */
static void number_by_time(const struct fm_trace *trace, struct fm_team_barrier *calls,
                           size_t count)
{
    FM_VECTOR(size_t) next = {0}, end = {0}; /* of each member */
    fm_sort(calls, count, sizeof *calls, compare_by_location);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || calls[i].location != calls[i - 1].location) {
            fm_vector_push(&next, i);
            fm_vector_push(&end, i);
        }
        end.items[end.count - 1]++;
    }
    for (uint32_t ordinal = 0;; ordinal++) {
        uint64_t first_end = UINT64_MAX;
        bool is_there = false;
        for (size_t m = 0; m < next.count; m++) {
            if (next.items[m] < end.items[m]) {
                const uint64_t left = barrier_end(trace, &calls[next.items[m]]);
                first_end = left < first_end ? left : first_end;
                is_there = true;
            }
        }
        if (!is_there) {
            break;
        }
        for (size_t m = 0; m < next.count; m++) {
            if (next.items[m] < end.items[m] && calls[next.items[m]].enter <= first_end) {
                calls[next.items[m]++].ordinal = ordinal;
            }
        }
    }
    fm_vector_free(&next);
    fm_vector_free(&end);
}

static void match_barriers(const struct fm_trace *trace, struct fm_teams *teams)
{
    struct fm_team_barrier *calls = teams->barriers.items;
    bool changed = false;
    fm_sort_by_three(calls, teams->barriers.count, sizeof *calls);
    for (size_t begin = 0, end; begin < teams->barriers.count; begin = end) {
        end = begin + 1;
        while (end < teams->barriers.count && calls[end].team == calls[begin].team) {
            end++;
        }
        if (is_paused(trace, teams, &teams->instances.items[calls[begin].team])) {
            number_by_time(trace, calls + begin, end - begin);
            changed = true;
        }
    }
    if (changed) {
        fm_sort_by_three(calls, teams->barriers.count, sizeof *calls);
    }
}

/* Sorts the members and lets the instances refer to theirs. */
static void sort_members(struct fm_teams *teams)
{
    fm_sort_by_three(teams->members.items, teams->members.count, sizeof *teams->members.items);
    for (uint32_t m = 0; m < teams->members.count; m++) {
        struct fm_team_instance *team = &teams->instances.items[teams->members.items[m].team];
        team->first_member = team->member_count++ == 0 ? m : team->first_member;
    }
}

void fm_teams_find(const struct fm_trace *trace, uint32_t process, struct fm_teams *teams)
{
    const uint32_t first = fm_trace_first_location(trace, process);
    const uint32_t last = fm_trace_first_location(trace, process + 1);
    struct reading reading = {.trace = trace, .teams = teams};
    teams->instances.count = teams->members.count = teams->barriers.count = 0;
    for (uint32_t l = first; l < last; l++) {
        note_masters(&reading, l);
    }
    reading.forked = teams->instances.count;
    fm_sort(teams->instances.items, reading.forked, sizeof *teams->instances.items, compare_teams);
    for (uint32_t l = first; l < last; l++) {
        read_thread(&reading, l);
    }
    sort_members(teams);
    match_barriers(trace, teams);
    fm_vector_free(&reading.forks);
    fm_vector_free(&reading.open);
    fm_map_free(&reading.begun);
    fm_map_free(&reading.next);
    fm_map_free(&reading.numbered);
}

void fm_teams_free(struct fm_teams *teams)
{
    fm_vector_free(&teams->instances);
    fm_vector_free(&teams->members);
    fm_vector_free(&teams->barriers);
}

/* ---- stretches ---- */

size_t fm_first_continuation(const struct fm_location *location, uint32_t activity)
{
    size_t low = 0, high = location->continuations.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (location->continuations.items[middle].activity < activity) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

uint32_t fm_stretch_at(const struct fm_location *location, uint32_t first, uint64_t t)
{
    const struct fm_continuation *items = location->continuations.items;
    size_t low = fm_first_continuation(location, first + 1), high = location->continuations.count;
    const size_t begin = low;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (location->enter.items[items[middle].activity] < t) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    while (low > begin && items[low - 1].first != first) {
        low--;
    }
    return low > begin ? items[low - 1].activity : first;
}

uint32_t fm_first_stretch(const struct fm_location *location, uint32_t activity)
{
    const size_t row = fm_first_continuation(location, activity);
    const bool continues = row < location->continuations.count &&
                           location->continuations.items[row].activity == activity;
    return continues ? location->continuations.items[row].first : activity;
}
