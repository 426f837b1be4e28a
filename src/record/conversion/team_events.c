/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/conversion/team_events.h"

#include "record/archive/process_teams.h"
#include "record/conversion/visits.h"

/* An open team as an item of a fm_nesting: its communicator, whether this location forked it, and
 * the number of marked regions around it. */
enum { FORKED_BIT = 32, AROUND_BIT = 33 };

static uint32_t comm_of(uint64_t team)
{
    return (uint32_t)team;
}

/* The innermost open team; FM_DEFINE_NONE: there is none. */
static uint32_t innermost(const struct fm_thread *thread)
{
    return thread->teams.count != 0 ? comm_of(thread->teams.regions[thread->teams.count - 1])
                                    : FM_DEFINE_NONE;
}

static void begin_team(struct fm_thread *thread, const uint64_t *r, uint64_t time)
{
    enum { SIZE_BITS = 24 };
    uint32_t size = (uint32_t)r[2], number = (uint32_t)(r[2] >> 32);
    uint32_t kind = fm_record_aux(r[0]) << SIZE_BITS | (size & ((1u << SIZE_BITS) - 1));
    uint32_t team = fm_team(OTF2_PARADIGM_OPENMP, thread->rank, fm_record_ref(r[0]), kind);
    uint64_t around = fm_path_marked(&thread->path);
    if (team == FM_DEFINE_NONE || !fm_team_note_member(team, number, thread->index) ||
        !fm_nesting_push(&thread->teams, around << AROUND_BIT |
                                             (uint64_t)thread->has_forked << FORKED_BIT | team)) {
        fm_archive_check(OTF2_ERROR_MEM_ALLOC_FAILED);
        return;
    }
    thread->has_forked = false;
    fm_convert_count(thread, OTF2_EvtWriter_ThreadTeamBegin(thread->writer, NULL, time, team));
}

/* Ends the innermost open team. */
static void end_team(struct fm_thread *thread, uint64_t time)
{
    uint64_t team = thread->teams.regions[--thread->teams.count];
    fm_convert_count(thread,
                     OTF2_EvtWriter_ThreadTeamEnd(thread->writer, NULL, time, comm_of(team)));
    if ((team >> FORKED_BIT & 1) != 0) {
        fm_convert_count(
            thread, OTF2_EvtWriter_ThreadJoin(thread->writer, NULL, time, OTF2_PARADIGM_OPENMP));
    }
}

void fm_team_events_end_behind(struct fm_thread *thread, size_t regions, uint64_t time)
{
    while (thread->teams.count != 0 &&
           thread->teams.regions[thread->teams.count - 1] >> AROUND_BIT >= regions) {
        const uint64_t around = thread->teams.regions[thread->teams.count - 1] >> AROUND_BIT;
        fm_visits_end_marked_behind(thread, (uint32_t)around, time);
        end_team(thread, fm_convert_not_before(thread, time));
    }
}

void fm_team_events_end_fork(struct fm_thread *thread, uint64_t time)
{
    if (thread->has_forked) {
        thread->has_forked = false;
        fm_convert_count(thread, OTF2_EvtWriter_ThreadJoin(thread->writer, NULL,
                                                           fm_convert_not_before(thread, time),
                                                           OTF2_PARADIGM_OPENMP));
    }
}

size_t fm_team_events_open(const struct fm_thread *thread)
{
    size_t events = thread->has_forked ? 1 : 0;
    for (size_t i = 0; i < thread->teams.count; i++) {
        events += 1 + (thread->teams.regions[i] >> FORKED_BIT & 1);
    }
    return events;
}

static OTF2_ErrorCode write_task(OTF2_EvtWriter *w, uint64_t t, const uint64_t *r, uint32_t team)
{
    uint32_t creator = fm_record_ref(r[0]), generation = (uint32_t)r[2];
    switch (fm_record_kind(r[0])) {
    case FM_RECORD_TASK_CREATE:
        return OTF2_EvtWriter_ThreadTaskCreate(w, NULL, t, team, creator, generation);
    case FM_RECORD_TASK_SWITCH:
        return OTF2_EvtWriter_ThreadTaskSwitch(w, NULL, t, team, creator, generation);
    default:
        return OTF2_EvtWriter_ThreadTaskComplete(w, NULL, t, team, creator, generation);
    }
}

void fm_team_event(struct fm_thread *thread, const uint64_t *r)
{
    OTF2_EvtWriter *w = thread->writer;
    OTF2_Paradigm paradigm = (OTF2_Paradigm)fm_record_aux(r[0]);
    uint32_t ref = fm_record_ref(r[0]);
    fm_convert_pending(thread, r[1]);
    uint64_t t = fm_convert_not_before(thread, r[1]);
    switch (fm_record_kind(r[0])) {
    case FM_RECORD_FORK:
        thread->has_forked = true;
        fm_convert_count(thread, OTF2_EvtWriter_ThreadFork(w, NULL, t, OTF2_PARADIGM_OPENMP, ref));
        return;
    case FM_RECORD_TEAM_BEGIN:
        begin_team(thread, r, t);
        return;
    case FM_RECORD_TEAM_END:
        fm_team_events_end_behind(thread, fm_path_marked(&thread->path), t);
        return;
    case FM_RECORD_LOCK_TAKEN:
        fm_convert_count(
            thread, OTF2_EvtWriter_ThreadAcquireLock(w, NULL, t, paradigm, ref, (uint32_t)r[2]));
        return;
    case FM_RECORD_LOCK_GIVEN:
        fm_convert_count(
            thread, OTF2_EvtWriter_ThreadReleaseLock(w, NULL, t, paradigm, ref, (uint32_t)r[2]));
        return;
    default:
        if (innermost(thread) != FM_DEFINE_NONE) {
            fm_convert_count(thread, write_task(w, t, r, innermost(thread)));
        }
    }
}
