/** @file
 * Records that need no inbox: each is handled once, by the worker that owns its destination. If
 * that is the worker that sends it, it is handled at once and never leaves the processor's cache.
 * Other workers, of this process or of another one of the team, get packets of them and handle
 * these when they come to it.
 */
#ifndef FERMATA_ENGINE_DISPATCH_H
#define FERMATA_ENGINE_DISPATCH_H

#include "engine/engine.h"
#include "engine/prefetch.h"
#include "engine/stream.h"

/** Handles a record for `process`, which the worker owns, while this worker may be in the middle of
 * a phase. It may send records through other dispatches, but not through this one. */
typedef void fm_dispatch_handler_t(void *context, unsigned worker, uint32_t process,
                                   const void *record);

struct fm_team_streams;

struct fm_dispatch {
    struct fm_engine *engine;
    struct fm_streams *streams;   /**< between the workers of this process */
    struct fm_team_streams *team; /**< to the other processes of the team; NULL: none */
    fm_dispatch_handler_t *handler;
    void *context;
    const unsigned *owner_of; /**< of the engine */
    size_t record_size;
    struct fm_prefetch_queues *queues; /**< NULL: a worker's own records are handled at once */
};

/** @param record_size  a multiple of 4
 * @return to be freed with fm_dispatch_free() */
struct fm_dispatch *fm_dispatch_create(struct fm_engine *engine, size_t record_size,
                                       fm_dispatch_handler_t *handler, void *context);

void fm_dispatch_free(struct fm_dispatch *dispatch);

/** For records that are scattered over more memory than the processor's cache holds: a worker's own
 * ones are handled, in their order, when the prefetcher has got what they need, at the latest in
 * the delivery. Call it before anything is sent.
 * @param stages  1 .. FM_PREFETCH_MOST_STAGES
 */
void fm_dispatch_prefetch(struct fm_dispatch *dispatch, fm_prefetcher_t *prefetcher,
                          unsigned stages);

/** Handles a record of the worker's own processes later. */
void fm_dispatch_enqueue(struct fm_dispatch *dispatch, unsigned worker, uint32_t process,
                         const void *record);

/** Sends a copy of a record to another worker, of this process or of another one. */
void fm_dispatch_post(struct fm_dispatch *dispatch, unsigned worker, uint32_t process,
                      const void *record);

/** Sends a record; to be called by a worker in a phase. Records from one process to another are
 * handled in the order in which they were sent; other orders are not defined: results must not
 * depend on them. */
static inline void fm_dispatch_send(struct fm_dispatch *dispatch, unsigned worker, uint32_t process,
                                    const void *record)
{
    if (dispatch->owner_of[process] != worker) {
        fm_dispatch_post(dispatch, worker, process, record);
    } else if (dispatch->queues != NULL) {
        fm_dispatch_enqueue(dispatch, worker, process, record);
    } else {
        dispatch->handler(dispatch->context, worker, process, record);
    }
}

/** Runs a phase that sends records, and handles all of them: a worker that has sent its own handles
 * those of the others meanwhile. All of the team must do so. */
void fm_dispatch_run(struct fm_dispatch *dispatch, fm_phase_t *phase, void *context);

/** Handles what handlers of another dispatch have sent in its phase, as far as they were not
 * handled at once. Call it between phases; all of the team must do so. */
void fm_dispatch_deliver(struct fm_dispatch *dispatch);

/** Handles a record with its items. */
typedef void fm_list_handler_t(void *context, unsigned worker, uint32_t process, const void *record,
                               const void *items, uint32_t count);

/** As struct fm_dispatch, for records that are followed by any number of items. */
struct fm_list_dispatch {
    struct fm_engine *engine;
    struct fm_streams *streams;   /**< as of struct fm_dispatch */
    struct fm_team_streams *team; /**< as of struct fm_dispatch */
    fm_list_handler_t *handler;
    void *context;
    const unsigned *owner_of; /**< of the engine */
    size_t record_size, item_size;
    struct fm_prefetch_queues *queues; /**< as of struct fm_dispatch */
};

/** @param record_size  a multiple of 4, as item_size
 * @return to be freed with fm_list_dispatch_free() */
struct fm_list_dispatch *fm_list_dispatch_create(struct fm_engine *engine, size_t record_size,
                                                 size_t item_size, fm_list_handler_t *handler,
                                                 void *context);

void fm_list_dispatch_free(struct fm_list_dispatch *dispatch);

/** As fm_dispatch_prefetch(). */
void fm_list_dispatch_prefetch(struct fm_list_dispatch *dispatch, fm_prefetcher_t *prefetcher,
                               unsigned stages);

/** As fm_dispatch_enqueue(). */
void fm_list_dispatch_enqueue(struct fm_list_dispatch *dispatch, unsigned worker, uint32_t process,
                              const void *record, const void *items, uint32_t count);

/** Sends a record and its items to another worker, of this process or of another one. */
void fm_list_dispatch_post(struct fm_list_dispatch *dispatch, unsigned worker, uint32_t process,
                           const void *record, const void *items, uint32_t count);

/** As fm_dispatch_send(). The items are not copied unless the process is owned by another process
 * of the team: they must stay where they are until the delivery. */
static inline void fm_list_dispatch_send(struct fm_list_dispatch *dispatch, unsigned worker,
                                         uint32_t process, const void *record, const void *items,
                                         uint32_t count)
{
    if (dispatch->owner_of[process] != worker) {
        fm_list_dispatch_post(dispatch, worker, process, record, items, count);
    } else if (dispatch->queues != NULL) {
        fm_list_dispatch_enqueue(dispatch, worker, process, record, items, count);
    } else {
        dispatch->handler(dispatch->context, worker, process, record, items, count);
    }
}

/** As fm_dispatch_run(). */
void fm_list_dispatch_run(struct fm_list_dispatch *dispatch, fm_phase_t *phase, void *context);

/** As fm_dispatch_deliver(). */
void fm_list_dispatch_deliver(struct fm_list_dispatch *dispatch);

#endif
