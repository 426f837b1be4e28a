/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Dispatch: typed records, each handled once by the worker that owns its destination, during the
 * stage. A record whose destination belongs to the sending worker is handled immediately, in cache.
 * Records for other workers are sent in packets (dispatch/channels.h), records for other processes
 * of the team in messages of the transport (dispatch/team_channels.h).
 */
#ifndef FERMATA_ENGINE_DISPATCH_DISPATCH_H
#define FERMATA_ENGINE_DISPATCH_DISPATCH_H

#include "engine/engine.h"

/** Handles a record for `process`, which the worker owns. It is called on this worker, also in the
 * middle of its part of the stage. It may send records through other dispatches, but not through
 * this one. */
typedef void fm_dispatch_handler_t(void *context, unsigned worker, uint32_t process,
                                   const void *record);

/** Items of a record: a member of the record type, see fm_dispatch_carry_items(). */
struct fm_items {
    const void *items;
    uint32_t count;
};

struct fm_channels;
struct fm_team_channels;

/** The number of records that one worker has sent. */
struct fm_dispatch_count {
    uint64_t records;
    unsigned char apart[FM_APART];
};

struct fm_dispatch {
    struct fm_engine *engine;
    struct fm_channels *channels;  /**< between the workers of this process */
    struct fm_team_channels *team; /**< to the other processes of the team; NULL: none */
    fm_dispatch_handler_t *handler;
    void *context;
    const unsigned *owner_of; /**< of the engine */
    size_t record_size;
    struct fm_dispatch_count *counts; /**< by worker, since the last run */
};

/** @param record_size  a multiple of 4
 * @return to be freed with fm_dispatch_free() */
struct fm_dispatch *fm_dispatch_create(struct fm_engine *engine, size_t record_size,
                                       fm_dispatch_handler_t *handler, void *context);

/** Makes the records carry items. To be called before the first record is sent. The sender keeps
 * its items unchanged until the delivery; a record to another process of the team carries a copy,
 * to which the `struct fm_items` of the handler's record refers until the end of the run.
 * @param offset     of the struct fm_items in the record; a multiple of 8
 * @param item_size  a multiple of 4 */
void fm_dispatch_carry_items(struct fm_dispatch *dispatch, size_t offset, size_t item_size);

void fm_dispatch_free(struct fm_dispatch *dispatch);

/** Sends a copy of a record to another worker, of this process or of another one. */
void fm_dispatch_post(struct fm_dispatch *dispatch, unsigned worker, uint32_t process,
                      const void *record);

/** Sends a record; to be called by a worker in a stage. Records from one process to another are
 * handled in the order in which they were sent. Other orders are undefined: results must not depend
 * on them. */
static inline void fm_dispatch_send(struct fm_dispatch *dispatch, unsigned worker, uint32_t process,
                                    const void *record)
{
    dispatch->counts[worker].records++;
    if (dispatch->owner_of[process] != worker) {
        fm_dispatch_post(dispatch, worker, process, record);
    } else {
        dispatch->handler(dispatch->context, worker, process, record);
    }
}

/** Runs a stage that sends records, and handles all of them: a worker that has finished its part of
 * the stage handles the records of the other workers. Collective over the team. */
void fm_dispatch_run(struct fm_dispatch *dispatch, fm_stage_t *stage, void *context);

/** Handles the records that were sent outside of a run of this dispatch (by handlers of another
 * dispatch, or in a plain stage) and not handled immediately. To be called between stages;
 * collective over the team. */
void fm_dispatch_deliver(struct fm_dispatch *dispatch);

#endif
