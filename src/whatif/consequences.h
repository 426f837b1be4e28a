/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Problems that follow from others: a location that is late only because it has waited for the
 * cause of a larger problem.
 */
#ifndef FERMATA_WHATIF_CONSEQUENCES_H
#define FERMATA_WHATIF_CONSEQUENCES_H

#include "analysis/replay/replay.h"
#include "cube/model/cube.h"

/** How long each location waits in a replay, by the nodes of its call tree. */
struct fm_replay_waiting {
    uint32_t location_count;
    uint64_t **ticks; /**< [location][node] */
};

/** @return a copy of what a replay shows, to be freed with fm_replay_waiting_free() */
struct fm_replay_waiting fm_replay_waiting_of(const struct fm_trace *trace,
                                              const struct fm_replay *replay);

void fm_replay_waiting_free(struct fm_replay_waiting *waiting);

/** Finds the later problems of waiting of which all locations wait for an earlier one, and whose
 * own waiting vanishes without that, but for a tenth; states it in the cube
 * (fm_cube_set_consequence()). A problem with a prediction of its own is none.
 * @param measured  of the replay without changes
 * @param without   replay without the earlier problem
 * @param of        the earlier problem, which has a prediction */
void fm_consequences_find(struct fm_cube *cube, const struct fm_trace *trace,
                          const struct fm_replay_waiting *measured, const struct fm_replay *without,
                          uint32_t of);

#endif
