/* SPDX-License-Identifier: BSD-3-Clause */
#include "view/tiles/tile_teams.h"

#include "view/timeline/team_columns.h"

#include <stdbool.h>
#include <stdlib.h>

/** A team and its begin. */
struct beginning {
    uint64_t since;
    size_t frame;
};

static int compare_beginnings(const void *left, const void *right)
{
    const struct beginning *a = left, *b = right;
    if (a->since != b->since)
        return a->since < b->since ? -1 : 1;
    return (a->frame > b->frame) - (a->frame < b->frame);
}

static bool has_member(const struct fm_team_frames *frames, const struct fm_team_frame *team,
                       uint32_t first, uint32_t count)
{
    const uint32_t *members = &frames->members.items[team->first];
    if (members[0] >= first + count) /* ascending */
        return false;
    for (uint32_t i = team->count; i-- > 0 && members[i] >= first;) {
        if (members[i] < first + count)
            return true;
    }
    return false;
}

void fm_tile_teams_open(struct fm_tile_teams *teams, const struct fm_team_frames *frames,
                        uint32_t first, uint32_t count)
{
    FM_VECTOR(struct beginning) found = {0};
    *teams = (struct fm_tile_teams){.frames = frames};
    for (size_t i = 0; i < frames->frames.count; i++) {
        const struct fm_team_frame *team = &frames->frames.items[i];
        if (has_member(frames, team, first, count))
            fm_vector_push(&found, ((struct beginning){team->since, i}));
    }
    if (found.count > 1)
        qsort(found.items, found.count, sizeof *found.items, compare_beginnings);
    for (size_t i = 0; i < found.count; i++)
        fm_vector_push(&teams->of_band, found.items[i].frame);
    fm_vector_free(&found);
}

void fm_tile_teams_add(struct fm_tile_teams *teams, struct fm_bundle *bundle, uint64_t begin,
                       uint64_t from, uint64_t to)
{
    struct fm_team_columns columns = {0};
    size_t kept = 0;
    for (; teams->next < teams->of_band.count; teams->next++) {
        const size_t frame = teams->of_band.items[teams->next];
        if (teams->frames->frames.items[frame].since > to)
            break;
        fm_vector_push(&teams->active, frame);
    }
    for (size_t i = 0; i < teams->active.count; i++) {
        const size_t frame = teams->active.items[i];
        if (teams->frames->frames.items[frame].until < from)
            continue;
        fm_team_columns_add(&columns, begin, 0, teams->frames, frame);
        teams->active.items[kept++] = frame;
    }
    teams->active.count = kept;
    fm_team_columns_move(bundle, &columns);
}

void fm_tile_teams_close(struct fm_tile_teams *teams)
{
    fm_vector_free(&teams->of_band);
    fm_vector_free(&teams->active);
}
