#include "engine/dispatch.h"

#include "base/memory.h"
#include "engine/engine_internal.h"
#include "engine/patience.h"
#include "engine/team_stream.h"

#include <stdatomic.h>
#include <string.h>

static void take_record(void *owner, unsigned worker, uint32_t process, const void *record)
{
    struct fm_dispatch *dispatch = owner;
    if (dispatch->queues != NULL) {
        fm_dispatch_enqueue(dispatch, worker, process, record);
    } else {
        dispatch->handler(dispatch->context, worker, process, record);
    }
}

static void take_from_team(void *owner, unsigned worker, uint32_t process, const void *record,
                           const void *items, uint32_t count)
{
    (void)items;
    (void)count;
    fm_dispatch_send(owner, worker, process, record);
}

struct fm_dispatch *fm_dispatch_create(struct fm_engine *engine, size_t record_size,
                                       fm_dispatch_handler_t *handler, void *context)
{
    struct fm_dispatch *dispatch = fm_allocate_apart(1, sizeof *dispatch);
    *dispatch = (struct fm_dispatch){
        .engine = engine,
        .streams = fm_streams_create(engine->workers, record_size, take_record, dispatch),
        .team = fm_team_streams_create(engine, record_size, 0, take_from_team, dispatch),
        .handler = handler,
        .context = context,
        .owner_of = engine->owner_of,
        .record_size = record_size,
    };
    return dispatch;
}

void fm_dispatch_free(struct fm_dispatch *dispatch)
{
    if (dispatch != NULL) {
        fm_streams_free(dispatch->streams);
        fm_team_streams_free(dispatch->team);
        fm_prefetch_free(dispatch->queues);
        fm_free(dispatch);
    }
}

static void handle_fetched(void *owner, unsigned worker, uint32_t process, const void *record)
{
    struct fm_dispatch *dispatch = owner;
    dispatch->handler(dispatch->context, worker, process, record);
}

void fm_dispatch_prefetch(struct fm_dispatch *dispatch, fm_prefetcher_t *prefetcher,
                          unsigned stages)
{
    dispatch->queues =
        fm_prefetch_create(dispatch->engine->workers, fm_engine_aligned(dispatch->record_size),
                           prefetcher, stages, dispatch->context, handle_fetched, dispatch);
}

void fm_dispatch_enqueue(struct fm_dispatch *dispatch, unsigned worker, uint32_t process,
                         const void *record)
{
    memcpy(fm_prefetch_push(dispatch->queues, worker, process), record, dispatch->record_size);
    fm_prefetch_go_on(dispatch->queues, worker);
}

void fm_dispatch_post(struct fm_dispatch *dispatch, unsigned worker, uint32_t process,
                      const void *record)
{
    unsigned owner = dispatch->owner_of[process];
    if (owner < dispatch->engine->workers) {
        memcpy(fm_stream_post(dispatch->streams, worker, owner, process), record,
               dispatch->record_size);
    } else {
        fm_team_stream_post(dispatch->team, worker, process, record, NULL, 0);
    }
}

/* A phase whose workers send records to one another. */
struct sending {
    fm_phase_t *phase;
    void *context;
    struct fm_streams *streams;
    struct fm_team_streams *team;      /* NULL: none */
    struct fm_prefetch_queues *queues; /* NULL: none */
    atomic_uint senders;               /* that may still send something */
};

static bool is_over(struct sending *sending, unsigned worker)
{
    return atomic_load(&sending->senders) == 0 &&
           (sending->team == NULL || fm_team_stream_is_over(sending->team, worker));
}

/* Takes what other processes have sent, and passes it on to the workers that it is for.
 * @return whether there was anything */
static bool take_from_processes(struct sending *sending, unsigned worker)
{
    if (sending->team == NULL || worker != 0 || !fm_team_stream_take(sending->team)) {
        return false;
    }
    fm_stream_hand_over(sending->streams, worker);
    return true;
}

/* Whoever has sent all of its records handles what the others still send. */
static void send_and_take(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct sending *sending = context;
    sending->phase(sending->context, worker, first, last);
    fm_stream_hand_over(sending->streams, worker);
    if (sending->team != NULL) {
        fm_team_stream_hand_over(sending->team, worker);
    }
    atomic_fetch_sub(&sending->senders, 1);
    for (unsigned turn = 0; !is_over(sending, worker); ++turn) {
        bool from_processes = take_from_processes(sending, worker);
        if (fm_stream_take(sending->streams, worker) || from_processes) {
            turn = 0;
        } else if (!fm_linger(turn)) {
            fm_be_patient(turn - FM_LINGER_LOOKS);
        }
    }
    fm_stream_take(sending->streams, worker);
    if (sending->queues != NULL) {
        fm_prefetch_finish(sending->queues, worker);
    }
}

static void run(struct fm_engine *engine, struct fm_streams *streams, struct fm_team_streams *team,
                struct fm_prefetch_queues *queues, fm_phase_t *phase, void *context)
{
    struct sending sending = {phase, context, streams, team, queues, engine->workers};
    if (team != NULL) {
        fm_team_streams_begin(team);
    }
    fm_engine_run(engine, send_and_take, &sending);
    if (team != NULL) {
        fm_team_streams_end(team);
    }
}

static void nothing(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)context;
    (void)worker;
    (void)first;
    (void)last;
}

void fm_dispatch_run(struct fm_dispatch *dispatch, fm_phase_t *phase, void *context)
{
    run(dispatch->engine, dispatch->streams, dispatch->team, dispatch->queues, phase, context);
}

void fm_dispatch_deliver(struct fm_dispatch *dispatch)
{
    fm_dispatch_run(dispatch, nothing, NULL);
}

/* ---- records with items ---- */

/* What stands behind a record on its way between workers, and in its queue. */
struct item_list {
    const void *items;
    uint32_t count;
};

static size_t size_with_list(size_t record_size)
{
    return fm_engine_aligned(record_size) + sizeof(struct item_list);
}

static void write_with_list(const struct fm_list_dispatch *dispatch, unsigned char *room,
                            const void *record, const void *items, uint32_t count)
{
    const struct item_list list = {items, count};
    memcpy(room, record, dispatch->record_size);
    memcpy(room + fm_engine_aligned(dispatch->record_size), &list, sizeof list);
}

/* Handles a record that write_with_list() has written. */
static void handle_with_list(void *owner, unsigned worker, uint32_t process, const void *record)
{
    struct fm_list_dispatch *dispatch = owner;
    struct item_list list;
    memcpy(&list, (const unsigned char *)record + fm_engine_aligned(dispatch->record_size),
           sizeof list);
    dispatch->handler(dispatch->context, worker, process, record, list.items, list.count);
}

static void take_list(void *owner, unsigned worker, uint32_t process, const void *record)
{
    struct fm_list_dispatch *dispatch = owner;
    if (dispatch->queues != NULL) {
        memcpy(fm_prefetch_push(dispatch->queues, worker, process), record,
               size_with_list(dispatch->record_size));
        fm_prefetch_go_on(dispatch->queues, worker);
    } else {
        handle_with_list(dispatch, worker, process, record);
    }
}

static void take_list_from_team(void *owner, unsigned worker, uint32_t process, const void *record,
                                const void *items, uint32_t count)
{
    fm_list_dispatch_send(owner, worker, process, record, items, count);
}

struct fm_list_dispatch *fm_list_dispatch_create(struct fm_engine *engine, size_t record_size,
                                                 size_t item_size, fm_list_handler_t *handler,
                                                 void *context)
{
    struct fm_list_dispatch *dispatch = fm_allocate_apart(1, sizeof *dispatch);
    *dispatch = (struct fm_list_dispatch){
        .engine = engine,
        .streams =
            fm_streams_create(engine->workers, size_with_list(record_size), take_list, dispatch),
        .team =
            fm_team_streams_create(engine, record_size, item_size, take_list_from_team, dispatch),
        .handler = handler,
        .context = context,
        .owner_of = engine->owner_of,
        .record_size = record_size,
        .item_size = item_size,
    };
    return dispatch;
}

void fm_list_dispatch_free(struct fm_list_dispatch *dispatch)
{
    if (dispatch != NULL) {
        fm_streams_free(dispatch->streams);
        fm_team_streams_free(dispatch->team);
        fm_prefetch_free(dispatch->queues);
        fm_free(dispatch);
    }
}

void fm_list_dispatch_prefetch(struct fm_list_dispatch *dispatch, fm_prefetcher_t *prefetcher,
                               unsigned stages)
{
    dispatch->queues =
        fm_prefetch_create(dispatch->engine->workers, size_with_list(dispatch->record_size),
                           prefetcher, stages, dispatch->context, handle_with_list, dispatch);
}

void fm_list_dispatch_enqueue(struct fm_list_dispatch *dispatch, unsigned worker, uint32_t process,
                              const void *record, const void *items, uint32_t count)
{
    write_with_list(dispatch, fm_prefetch_push(dispatch->queues, worker, process), record, items,
                    count);
    fm_prefetch_go_on(dispatch->queues, worker);
}

void fm_list_dispatch_post(struct fm_list_dispatch *dispatch, unsigned worker, uint32_t process,
                           const void *record, const void *items, uint32_t count)
{
    unsigned owner = dispatch->owner_of[process];
    if (owner < dispatch->engine->workers) {
        write_with_list(dispatch, fm_stream_post(dispatch->streams, worker, owner, process), record,
                        items, count);
    } else {
        fm_team_stream_post(dispatch->team, worker, process, record, items, count);
    }
}

void fm_list_dispatch_run(struct fm_list_dispatch *dispatch, fm_phase_t *phase, void *context)
{
    run(dispatch->engine, dispatch->streams, dispatch->team, dispatch->queues, phase, context);
}

void fm_list_dispatch_deliver(struct fm_list_dispatch *dispatch)
{
    fm_list_dispatch_run(dispatch, nothing, NULL);
}
