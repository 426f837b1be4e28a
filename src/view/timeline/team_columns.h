/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Teams of threads in a timeline as columns of a bundle: see timeline_events.h.
 */
#ifndef FERMATA_VIEW_TIMELINE_TEAM_COLUMNS_H
#define FERMATA_VIEW_TIMELINE_TEAM_COLUMNS_H

#include "timeline/team_frames.h"
#include "view/columns.h"

struct fm_team_columns {
    fm_column window, since, time, count, member;
};

/** Adds a team.
 * @param begin  of the run, ticks */
void fm_team_columns_add(struct fm_team_columns *columns, uint64_t begin, uint64_t window,
                         const struct fm_team_frames *frames, size_t frame);

/** Adds the columns to a bundle and frees them. */
void fm_team_columns_move(struct fm_bundle *bundle, struct fm_team_columns *columns);

#endif
