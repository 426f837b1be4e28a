/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Team channels: records from the workers of one process of a team to the other processes, in
 * messages that are sent as soon as they are full and handled while others are still in transit. A
 * run ends with an empty message from every other process. Private to src/engine/dispatch.
 */
#ifndef FERMATA_ENGINE_DISPATCH_TEAM_CHANNELS_H
#define FERMATA_ENGINE_DISPATCH_TEAM_CHANNELS_H

#include "engine/engine.h"

/** Takes a record for `process`, which this process owns, on the first worker. */
typedef void fm_team_channel_taker_t(void *owner, unsigned worker, uint32_t process,
                                     const void *record);

struct fm_team_channels;

/** @param record_size  bytes of a record
 * @param owner         passed to the taker
 * @return to be freed with fm_team_channels_free(); NULL: the team has one process */
struct fm_team_channels *fm_team_channels_create(struct fm_engine *engine, size_t record_size,
                                                 fm_team_channel_taker_t *take, void *owner);

/** As fm_dispatch_carry_items(). Items that arrive are valid until the end of the run. */
void fm_team_channels_carry_items(struct fm_team_channels *channels, size_t offset,
                                  size_t item_size);

/** NULL is allowed. All runs must have ended. */
void fm_team_channels_free(struct fm_team_channels *channels);

/** Sends a copy of a record and its items to a process that another process of the team owns, in
 * the current run or, between runs, in the next one.
 * @param worker  the caller */
void fm_team_channel_post(struct fm_team_channels *channels, unsigned worker, uint32_t process,
                          const void *record);

/** Begins a run; to be called before its stage. Collective over the team. */
void fm_team_channels_begin(struct fm_team_channels *channels);

/** Sends the remaining records of a worker, which posts no more in this run. The last worker sends
 * the empty messages that end the run. */
void fm_team_channel_hand_over(struct fm_team_channels *channels, unsigned worker);

/** Takes a message that has arrived, if there is one. For the first worker only, so that the
 * records of one process stay in order.
 * @return whether there was a message */
bool fm_team_channel_take(struct fm_team_channels *channels);

/** @return whether the run is over: all records of the other processes have been taken, and the
 * records of this process have left. Only the first worker tests the latter.
 * @param worker  the caller */
bool fm_team_channel_is_over(struct fm_team_channels *channels, unsigned worker);

/** Ends a run; to be called after its stage. */
void fm_team_channels_end(struct fm_team_channels *channels);

#endif
