/* SPDX-License-Identifier: BSD-3-Clause */
#include "view/timeline/team_columns.h"

void fm_team_columns_add(struct fm_team_columns *columns, uint64_t begin, uint64_t window,
                         const struct fm_team_frames *frames, size_t frame)
{
    const struct fm_team_frame *team = &frames->frames.items[frame];
    fm_vector_push(&columns->window, window);
    fm_vector_push(&columns->since, team->since - begin);
    fm_vector_push(&columns->time, team->until - team->since);
    fm_vector_push(&columns->count, team->count);
    for (uint32_t i = 0; i < team->count; i++)
        fm_vector_push(&columns->member, frames->members.items[team->first + i]);
}

void fm_team_columns_move(struct fm_bundle *bundle, struct fm_team_columns *columns)
{
    fm_column_move(bundle, "team_window", &columns->window, true);
    fm_column_move(bundle, "team_since", &columns->since, true);
    fm_column_move(bundle, "team_time", &columns->time, false);
    fm_column_move(bundle, "team_count", &columns->count, false);
    fm_column_move(bundle, "team_member", &columns->member, true);
}
