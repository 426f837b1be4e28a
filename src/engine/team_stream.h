/** @file
 * Records on their way from the workers of one process of a team to the other processes: packets
 * that leave as soon as they are full, and are taken while others are still on their way. Each run
 * ends with an end packet from every other process. Private to src/engine.
 */
#ifndef FERMATA_ENGINE_TEAM_STREAM_H
#define FERMATA_ENGINE_TEAM_STREAM_H

#include "engine/engine.h"

/** Takes a record for `process`, which this process owns, on the worker that takes packets.
 * @param items  of the record; they stay where they are until the end of the run */
typedef void fm_team_stream_taker_t(void *owner, unsigned worker, uint32_t process,
                                    const void *record, const void *items, uint32_t count);

struct fm_team_streams;

/** @param record_size  bytes of a record
 * @param item_size     bytes of an item; 0: records have no items
 * @param owner         handed to the taker
 * @return to be freed with fm_team_streams_free(); NULL: the process is alone */
struct fm_team_streams *fm_team_streams_create(struct fm_engine *engine, size_t record_size,
                                               size_t item_size, fm_team_stream_taker_t *take,
                                               void *owner);

/** NULL is allowed. All runs must have ended. */
void fm_team_streams_free(struct fm_team_streams *streams);

/** Sends a copy of a record and its items to a process that another process of the team owns: in
 * the run at hand, or else in the next one.
 * @param worker  the caller */
void fm_team_stream_post(struct fm_team_streams *streams, unsigned worker, uint32_t process,
                         const void *record, const void *items, uint32_t count);

/** Begins a run; to be called before its phase. All of the team must do so. */
void fm_team_streams_begin(struct fm_team_streams *streams);

/** A worker has posted all that it will in this run. */
void fm_team_stream_hand_over(struct fm_team_streams *streams, unsigned worker);

/** Takes what has come. For the first worker only: records from one process then stay in order.
 * @return whether there was anything */
bool fm_team_stream_take(struct fm_team_streams *streams);

/** @return whether the run is over: all records of others have been taken, and its own ones, which
 * are handed over, have left. Only the first worker waits for the latter.
 * @param worker  the caller */
bool fm_team_stream_is_over(struct fm_team_streams *streams, unsigned worker);

/** Ends a run; to be called behind its phase. */
void fm_team_streams_end(struct fm_team_streams *streams);

#endif
