/* SPDX-License-Identifier: BSD-3-Clause */
/* What open calls of OpenMP and POSIX threads wait for: other threads of the process. */
#include "analysis/hang/parts.h"

#include "analysis/threads/team_instances.h"
#include "analysis/threads/thread_lives.h"

#include <string.h>

/* ---- locks ---- */

/* An acquisition without a release. */
struct held {
    uint64_t id;
    uint32_t order, location, activity;
};

typedef FM_VECTOR(struct held) held_locks;

static void remove_released(held_locks *held, const struct fm_thread_record *release)
{
    for (size_t i = 0; i < held->count; ++i) {
        if (held->items[i].id == release->id && held->items[i].order == release->order) {
            held->items[i] = held->items[--held->count];
            return;
        }
    }
}

static bool is_shared(const struct fm_trace *trace, uint32_t l, uint32_t activity)
{
    return activity != FM_NONE &&
           fm_trace_called(trace, &trace->locations[l], activity)->call == FM_CALL_SHARED_LOCK;
}

/* Removes what later acquisitions show to be released, whose release has no record: nobody has a
 * lock while another one has it alone. */
static void remove_outdated(const struct fm_trace *trace, uint32_t l, uint64_t id, held_locks *held)
{
    const struct fm_location *location = &trace->locations[l];
    for (size_t r = 0; r < location->threads.count; ++r) {
        const struct fm_thread_record *record = &location->threads.items[r];
        const bool acquires = record->type == FM_THREAD_LOCK_ACQUIRE;
        if (record->id != id || (!acquires && record->type != FM_THREAD_LOCK_RELEASE)) {
            continue;
        }
        const bool shares = acquires ? is_shared(trace, l, record->activity)
                                     : record->shared || record->acquired == UINT64_MAX;
        for (size_t i = held->count; i-- > 0;) {
            const struct held *item = &held->items[i];
            if (item->order < record->order &&
                (!shares || !is_shared(trace, item->location, item->activity))) {
                held->items[i] = held->items[--held->count];
            }
        }
    }
}

/* @return whether the thread that made a record has ended, with its location: who has its locks is
 * not known */
static bool ends_behind(const struct fm_location *location, size_t row)
{
    for (size_t r = row + 1; r < location->threads.count; ++r) {
        if (location->threads.items[r].type == FM_THREAD_END) {
            return true;
        }
    }
    return false;
}

/* Lists the acquisitions of a lock that no thread of the process has released. */
static void find_held(const struct fm_trace *trace, uint32_t process, uint64_t id, held_locks *held)
{
    const struct fm_process *owner = &trace->processes[process];
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t t = 0; t < owner->location_count; ++t) {
            const uint32_t l = owner->first_location + t;
            const struct fm_location *location = &trace->locations[l];
            for (size_t r = 0; r < location->threads.count; ++r) {
                const struct fm_thread_record *record = &location->threads.items[r];
                if (record->id != id) {
                    continue;
                }
                if (pass == 0 && record->type == FM_THREAD_LOCK_ACQUIRE &&
                    !ends_behind(location, r)) {
                    fm_vector_push(held, ((struct held){id, record->order, l, record->activity}));
                } else if (pass == 1 && record->type == FM_THREAD_LOCK_RELEASE) {
                    remove_released(held, record);
                }
            }
        }
    }
    for (uint32_t t = 0; t < owner->location_count; ++t) {
        remove_outdated(trace, owner->first_location + t, id, held);
    }
}

/* @return the number of a call's lock or other object; UINT64_MAX: not known */
static uint64_t object_of(const struct fm_trace *trace, const struct fm_location *location,
                          uint32_t activity)
{
    const bool is_pthread =
        fm_trace_called(trace, location, activity)->paradigm == FM_PARADIGM_PTHREAD;
    for (size_t r = location->threads.count; r-- > 0;) {
        const struct fm_thread_record *record = &location->threads.items[r];
        if (record->type == FM_THREAD_OBJECT && record->activity == activity) {
            return (uint64_t)is_pthread << 32 | (uint32_t)record->id;
        }
    }
    return UINT64_MAX;
}

/* @return whether a location has released a lock since a time */
static bool has_released(const struct fm_location *location, uint64_t id, uint64_t since)
{
    for (size_t r = location->threads.count; r-- > 0;) {
        const struct fm_thread_record *record = &location->threads.items[r];
        if (record->type == FM_THREAD_LOCK_RELEASE && record->id == id && record->time >= since) {
            return true;
        }
    }
    return false;
}

/* Adds the owners that the call states: those when it began to wait, unless they have released the
 * lock since. */
static void add_stated_owners(const struct fm_trace *trace, uint32_t l, uint32_t activity,
                              uint64_t id, fm_open_parts *parts)
{
    const struct fm_location *location = &trace->locations[l];
    const struct fm_process *process = &trace->processes[location->process];
    for (size_t i = 0; i < location->open_waits.count; ++i) {
        const struct fm_open_wait *wait = &location->open_waits.items[i];
        if (wait->activity != activity || wait->owner == FM_NONE) {
            continue;
        }
        for (uint32_t t = 0; t < process->location_count; ++t) {
            const uint32_t owner = process->first_location + t;
            if (trace->locations[owner].id >> 32 == wait->owner &&
                !has_released(&trace->locations[owner], id, location->enter.items[activity])) {
                struct fm_open_part *part = fm_open_parts_add(parts, l, FM_AWAITS_LOCK);
                part->target = owner;
                part->process = location->process;
                part->id = id;
                part->region = fm_trace_region(location, activity);
                part->taken_in = wait->taken_in;
            }
        }
    }
}

static void add_lock(const struct fm_trace *trace, uint32_t l, uint32_t activity,
                     fm_open_parts *parts)
{
    const struct fm_location *location = &trace->locations[l];
    const uint64_t id = object_of(trace, location, activity);
    const size_t before = parts->count;
    held_locks held = {0};
    add_stated_owners(trace, l, activity, id, parts);
    if (id != UINT64_MAX && parts->count == before) {
        find_held(trace, location->process, id, &held);
    }
    for (size_t i = 0; i < held.count; ++i) {
        const struct held *owner = &held.items[i];
        if (is_shared(trace, l, activity) && is_shared(trace, owner->location, owner->activity)) {
            continue;
        }
        struct fm_open_part *part = fm_open_parts_add(parts, l, FM_AWAITS_LOCK);
        const struct fm_location *at = &trace->locations[owner->location];
        part->target = owner->location;
        part->process = location->process;
        part->id = id;
        part->region = fm_trace_region(location, activity);
        part->place = owner->activity == FM_NONE
                          ? FM_NONE
                          : at->profile.items[at->visit.items[owner->activity]].callpath;
    }
    if (parts->count == before) {
        fm_open_parts_add(parts, l, FM_AWAITS_UNKNOWN);
    }
    fm_vector_free(&held);
}

/* ---- barriers of teams ---- */

static void add_team(const struct fm_trace *trace, uint32_t l, uint32_t activity,
                     fm_open_parts *parts)
{
    const struct fm_location *location = &trace->locations[l];
    const uint32_t first = fm_first_stretch(location, activity);
    struct fm_teams teams = {0};
    fm_teams_find(trace, location->process, &teams);
    const struct fm_team_barrier *own = NULL;
    for (size_t b = 0; b < teams.barriers.count; ++b) {
        const struct fm_team_barrier *barrier = &teams.barriers.items[b];
        own = barrier->location == l && barrier->activity == first ? barrier : own;
    }
    if (own == NULL) {
        fm_open_parts_add(parts, l, FM_AWAITS_UNKNOWN);
        fm_teams_free(&teams);
        return;
    }
    const struct fm_team_instance *team = &teams.instances.items[own->team];
    const size_t before = parts->count;
    for (uint32_t m = 0; m < team->member_count; ++m) {
        const uint32_t member = teams.members.items[team->first_member + m].location;
        bool is_there = member == l;
        for (size_t b = 0; b < teams.barriers.count && !is_there; ++b) {
            const struct fm_team_barrier *barrier = &teams.barriers.items[b];
            is_there = barrier->location == member && barrier->team == own->team &&
                       barrier->ordinal == own->ordinal;
        }
        if (!is_there) {
            fm_open_parts_add(parts, l, FM_AWAITS_TEAM)->target = member;
        }
    }
    if (parts->count == before) { /* all are there: the runtime works, or executes tasks */
        fm_open_parts_add(parts, l, FM_AWAITS_TEAM);
    }
    fm_teams_free(&teams);
}

/* ---- ends of threads ---- */

static void add_end(const struct fm_trace *trace, uint32_t l,
                    const struct fm_thread_record *awaited, fm_open_parts *parts)
{
    fm_life_records lives = {0};
    fm_life_records_list(trace, trace->locations[l].process, &lives);
    struct fm_open_part *part = fm_open_parts_add(parts, l, FM_AWAITS_UNKNOWN);
    for (size_t i = 0; i < lives.count;) {
        const struct fm_life life = fm_thread_life_at(&lives, i);
        if (lives.items[i].team == awaited->team && lives.items[i].sequence == awaited->id &&
            life.begun != NULL) {
            part->awaits = FM_AWAITS_END;
            part->target = life.ended != NULL ? FM_NONE : life.begun->location;
        }
        i = life.end;
    }
    fm_vector_free(&lives);
}

/* ---- calls ---- */

/* @return whether a call is one that may awaken others */
static bool awakens(const struct fm_region *called)
{
    return called->call == FM_CALL_THREAD_BARRIER || strstr(called->name, "signal") != NULL ||
           strstr(called->name, "broadcast") != NULL || strstr(called->name, "post") != NULL;
}

/* @return whether another thread of the process may have awakened a call: by one of its own that
 * ended since */
static bool may_be_awakened(const struct fm_trace *trace, uint32_t l, uint32_t activity)
{
    const struct fm_process *process = &trace->processes[trace->locations[l].process];
    const uint64_t since = trace->locations[l].enter.items[activity];
    for (uint32_t t = 0; t < process->location_count; ++t) {
        const struct fm_location *other = &trace->locations[process->first_location + t];
        for (uint32_t a = (uint32_t)other->enter.count;
             other != &trace->locations[l] && a-- > 0 && other->leave.items[a] >= since;) {
            const struct fm_region *called = fm_trace_called(trace, other, a);
            if (called->paradigm == FM_PARADIGM_PTHREAD && awakens(called) &&
                !fm_trace_is_open(other, a)) {
                return true;
            }
        }
    }
    return false;
}

/* A call that does not state its object may be awakened by other processes. */
static void add_signal(const struct fm_trace *trace, uint32_t l, uint32_t activity,
                       fm_awaits_t awaits, fm_open_parts *parts)
{
    const bool is_known = object_of(trace, &trace->locations[l], activity) != UINT64_MAX;
    fm_open_parts_add(parts, l,
                      is_known && !may_be_awakened(trace, l, activity) ? awaits : FM_AWAITS_UNKNOWN)
        ->is_any = true;
}

static bool can_time_out(const struct fm_region *called)
{
    return strstr(called->name, "timed") != NULL || strstr(called->name, "clock") != NULL;
}

bool fm_thread_parts_find(const struct fm_analysis *analysis, uint32_t location, uint32_t activity,
                          fm_open_parts *parts)
{
    const struct fm_trace *trace = analysis->trace;
    const struct fm_location *own = &trace->locations[location];
    const struct fm_region *called = fm_trace_called(trace, own, activity);
    if (called->paradigm != FM_PARADIGM_OPENMP && called->paradigm != FM_PARADIGM_PTHREAD) {
        return false;
    }
    for (size_t r = own->threads.count; r-- > 0 && !can_time_out(called);) {
        if (own->threads.items[r].type == FM_THREAD_WAIT &&
            own->threads.items[r].activity == activity) {
            add_end(trace, location, &own->threads.items[r], parts);
            return true;
        }
    }
    if (can_time_out(called)) {
        fm_open_parts_add(parts, location, FM_AWAITS_UNKNOWN);
        return true;
    }
    switch (called->call) {
    case FM_CALL_TEAM_BARRIER:
        add_team(trace, location, activity, parts);
        break;
    case FM_CALL_TASK_WAIT:
        fm_open_parts_add(parts, location, FM_AWAITS_TASKS)->is_any = true;
        break;
    case FM_CALL_SEMAPHORE_WAIT: /* processes may share it */
        add_signal(trace, location, activity,
                   trace->process_count > 1 ? FM_AWAITS_CHANGE : FM_AWAITS_SIGNAL, parts);
        break;
    case FM_CALL_CONDITION_WAIT:
    case FM_CALL_THREAD_BARRIER:
        add_signal(trace, location, activity, FM_AWAITS_SIGNAL, parts);
        break;
    default:
        if (called->call == FM_CALL_CRITICAL || called->polling.part == FM_POLLING_WAIT) {
            add_lock(trace, location, activity, parts);
        } else {
            fm_open_parts_add(parts, location, FM_AWAITS_UNKNOWN);
        }
        break;
    }
    return true;
}
