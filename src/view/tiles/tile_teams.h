/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The teams of threads of a band of locations, tile by tile: a team is in each tile of whose time
 * and locations it has a part.
 */
#ifndef FERMATA_VIEW_TILES_TILE_TEAMS_H
#define FERMATA_VIEW_TILES_TILE_TEAMS_H

#include "timeline/team_frames.h"
#include "view/bundle.h"

/** A walk through the teams of a band in order of time; {0}: none. */
struct fm_tile_teams {
    const struct fm_team_frames *frames;
    FM_VECTOR(size_t) of_band; /**< numbers of frames, by begin */
    FM_VECTOR(size_t) active;  /**< that may go on behind the previous tile */
    size_t next;               /**< in `of_band` */
};

/** Begins a walk through the teams that have a member among `count` locations from `first` on. */
void fm_tile_teams_open(struct fm_tile_teams *teams, const struct fm_team_frames *frames,
                        uint32_t first, uint32_t count);

/** Adds the columns of the teams in [from, to] to a bundle; `from` is at least that of the call
 * before. Constant for each team in the tile.
 * @param begin  of the run; from, to: ticks of the trace clock */
void fm_tile_teams_add(struct fm_tile_teams *teams, struct fm_bundle *bundle, uint64_t begin,
                       uint64_t from, uint64_t to);

void fm_tile_teams_close(struct fm_tile_teams *teams);

#endif
