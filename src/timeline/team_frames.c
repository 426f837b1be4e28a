/* SPDX-License-Identifier: BSD-3-Clause */
#include "timeline/team_frames.h"

#include "analysis/threads/team_instances.h"

#include <stdlib.h>

/** @return when a member leaves its team: a thread that does so later than all its records leaves
 * it at its end. */
static uint64_t end_of(const struct fm_trace *trace, const struct fm_team_member *member)
{
    const struct fm_location *location = &trace->locations[member->location];
    uint32_t depth = 0;
    for (size_t i = member->record; i < location->threads.count; i++) {
        const struct fm_thread_record *record = &location->threads.items[i];
        if (record->type == FM_THREAD_TEAM_BEGIN) {
            depth++;
        } else if (record->type == FM_THREAD_TEAM_END && --depth == 0) {
            return record->time;
        }
    }
    return location->end;
}

/** Adds a team. Its join is known where its fork is, unless the run ended in between. */
static void add_team(struct fm_team_frames *frames, const struct fm_trace *trace,
                     const struct fm_teams *teams, const struct fm_team_instance *team)
{
    const bool is_joined = team->join != UINT64_MAX && team->fork_record != FM_NONE;
    struct fm_team_frame frame = {.since = team->fork,
                                  .until = is_joined ? team->join : team->fork,
                                  .first = frames->members.count};
    for (uint32_t m = 0; m < team->member_count; m++) {
        const struct fm_team_member *member = &teams->members.items[team->first_member + m];
        const uint64_t end = is_joined ? frame.until : end_of(trace, member);
        frame.until = end > frame.until ? end : frame.until;
        if (frame.count == 0 ||
            frames->members.items[frames->members.count - 1] != member->location) {
            fm_vector_push(&frames->members, member->location);
            frame.count++;
        }
    }
    fm_vector_push(&frames->frames, frame);
}

static int compare_frames(const void *left, const void *right)
{
    const struct fm_team_frame *a = left, *b = right;
    if (a->since != b->since) {
        return a->since < b->since ? -1 : 1;
    }
    return (a->first > b->first) - (a->first < b->first);
}

struct fm_team_frames fm_team_frames_collect(const struct fm_trace *trace)
{
    struct fm_team_frames frames = {0};
    struct fm_teams teams = {0};
    for (uint32_t p = 0; p < trace->process_count; p++) {
        if (trace->processes[p].location_count < 2) {
            continue;
        }
        const size_t first = frames.frames.count;
        fm_teams_find(trace, p, &teams);
        for (size_t i = 0; i < teams.instances.count; i++) {
            if (teams.instances.items[i].member_count > 1) {
                add_team(&frames, trace, &teams, &teams.instances.items[i]);
            }
        }
        if (frames.frames.count > first) {
            qsort(&frames.frames.items[first], frames.frames.count - first,
                  sizeof *frames.frames.items, compare_frames);
        }
    }
    fm_teams_free(&teams);
    return frames;
}

void fm_team_frames_free(struct fm_team_frames *frames)
{
    fm_vector_free(&frames->frames);
    fm_vector_free(&frames->members);
}
