/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Which threads form a team of OpenMP at a time: a frame around their rows in a timeline.
 */
#ifndef FERMATA_TIMELINE_TEAM_FRAMES_H
#define FERMATA_TIMELINE_TEAM_FRAMES_H

#include "base/containers/vector.h"
#include "trace/tables/trace.h"

/** A team of at least two threads, from its fork to its join. */
struct fm_team_frame {
    uint64_t since; /**< time of the fork, else of the first begin of a member */
    uint64_t until; /**< time of the join, else of the last end of a member */
    size_t first;   /**< in the members */
    uint32_t count;
};

struct fm_team_frames {
    FM_VECTOR(struct fm_team_frame) frames; /**< by process, then by begin */
    FM_VECTOR(uint32_t) members;            /**< locations, ascending in each frame */
};

/** Collects the teams of all processes. O(n log n) for n records of threads.
 * @return to be freed with fm_team_frames_free() */
struct fm_team_frames fm_team_frames_collect(const struct fm_trace *trace);

void fm_team_frames_free(struct fm_team_frames *frames);

#endif
