#include "engine/dispatch.h"

#include "base/memory.h"
#include "engine/engine_internal.h"
#include "engine/patience.h"

#include <stdatomic.h>
#include <string.h>

/* @return whether there is another process to send anything to */
static bool has_team(const struct fm_engine *engine)
{
    return fm_team_size(engine->team) > 1;
}

static void take_record(void *owner, unsigned worker, uint32_t process, const void *record)
{
    struct fm_dispatch *dispatch = owner;
    if (dispatch->queues != NULL) {
        fm_dispatch_enqueue(dispatch, worker, process, record);
    } else {
        dispatch->handler(dispatch->context, worker, process, record);
    }
}

struct fm_dispatch *fm_dispatch_create(struct fm_engine *engine, size_t record_size,
                                       fm_dispatch_handler_t *handler, void *context)
{
    struct fm_dispatch *dispatch = fm_allocate_apart(1, sizeof *dispatch);
    *dispatch = (struct fm_dispatch){
        .engine = engine,
        .streams = fm_streams_create(engine->workers, record_size, take_record, dispatch),
        .exchange = has_team(engine) ? fm_exchange_create(engine, record_size) : NULL,
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
        fm_exchange_free(dispatch->exchange);
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
        memcpy(fm_exchange_post(dispatch->exchange, worker, process), record,
               dispatch->record_size);
    }
}

/* A phase whose workers send records to one another. */
struct sending {
    fm_phase_t *phase;
    void *context;
    struct fm_streams *streams;
    struct fm_prefetch_queues *queues; /* NULL: none */
    atomic_uint senders;               /* that may still send something */
};

/* Whoever has sent all of its records handles what the others still send. */
static void send_and_take(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct sending *sending = context;
    sending->phase(sending->context, worker, first, last);
    fm_stream_hand_over(sending->streams, worker);
    atomic_fetch_sub(&sending->senders, 1);
    for (unsigned turn = 0; atomic_load(&sending->senders) != 0; ++turn) {
        if (fm_stream_take(sending->streams, worker)) {
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

static void run_here(struct fm_engine *engine, struct fm_streams *streams,
                     struct fm_prefetch_queues *queues, fm_phase_t *phase, void *context)
{
    fm_engine_run(engine, send_and_take,
                  &(struct sending){phase, context, streams, queues, engine->workers});
}

static void nothing(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)context;
    (void)worker;
    (void)first;
    (void)last;
}

static void handle(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fm_dispatch *dispatch = context;
    for (uint32_t process = first; process < last; ++process) {
        size_t count;
        const unsigned char *records = fm_exchange_inbox(dispatch->exchange, process, &count);
        for (size_t i = 0; i < count; ++i) {
            dispatch->handler(dispatch->context, worker, process,
                              records + i * dispatch->record_size);
        }
    }
}

void fm_dispatch_run(struct fm_dispatch *dispatch, fm_phase_t *phase, void *context)
{
    run_here(dispatch->engine, dispatch->streams, dispatch->queues, phase, context);
    if (!has_team(dispatch->engine)) {
        return;
    }
    fm_exchange_deliver(dispatch->exchange);
    fm_engine_run(dispatch->engine, handle, dispatch);
    fm_exchange_clear(dispatch->exchange);
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

struct fm_list_dispatch *fm_list_dispatch_create(struct fm_engine *engine, size_t record_size,
                                                 size_t item_size, fm_list_handler_t *handler,
                                                 void *context)
{
    struct fm_list_dispatch *dispatch = fm_allocate_apart(1, sizeof *dispatch);
    *dispatch = (struct fm_list_dispatch){
        .engine = engine,
        .streams =
            fm_streams_create(engine->workers, size_with_list(record_size), take_list, dispatch),
        .records =
            has_team(engine) ? fm_exchange_create(engine, record_size + sizeof(uint64_t)) : NULL,
        .items = has_team(engine) ? fm_exchange_create(engine, item_size) : NULL,
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
        fm_exchange_free(dispatch->records);
        fm_exchange_free(dispatch->items);
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
        return;
    }
    /* The number stands behind the record, which keeps its alignment. */
    const uint64_t number = count;
    unsigned char *room = fm_exchange_post(dispatch->records, worker, process);
    memcpy(room, record, dispatch->record_size);
    memcpy(room + dispatch->record_size, &number, sizeof number);
    for (uint32_t i = 0; i < count; ++i) {
        memcpy(fm_exchange_post(dispatch->items, worker, process),
               (const unsigned char *)items + i * dispatch->item_size, dispatch->item_size);
    }
}

static void handle_lists(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fm_list_dispatch *dispatch = context;
    size_t stride = dispatch->record_size + sizeof(uint64_t);
    for (uint32_t process = first; process < last; ++process) {
        size_t count, item_count;
        const unsigned char *records = fm_exchange_inbox(dispatch->records, process, &count);
        const unsigned char *items = fm_exchange_inbox(dispatch->items, process, &item_count);
        for (size_t i = 0; i < count; ++i) {
            const unsigned char *record = records + i * stride;
            uint64_t number;
            memcpy(&number, record + dispatch->record_size, sizeof number);
            dispatch->handler(dispatch->context, worker, process, record, items, (uint32_t)number);
            items += number * dispatch->item_size;
        }
    }
}

void fm_list_dispatch_run(struct fm_list_dispatch *dispatch, fm_phase_t *phase, void *context)
{
    run_here(dispatch->engine, dispatch->streams, dispatch->queues, phase, context);
    if (!has_team(dispatch->engine)) {
        return;
    }
    fm_exchange_deliver(dispatch->records);
    fm_exchange_deliver(dispatch->items);
    fm_engine_run(dispatch->engine, handle_lists, dispatch);
    fm_exchange_clear(dispatch->records);
    fm_exchange_clear(dispatch->items);
}

void fm_list_dispatch_deliver(struct fm_list_dispatch *dispatch)
{
    fm_list_dispatch_run(dispatch, nothing, NULL);
}
