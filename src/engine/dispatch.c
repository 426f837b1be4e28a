#include "engine/dispatch.h"

#include "base/memory.h"
#include "engine/engine_internal.h"

#include <string.h>

struct fm_dispatch *fm_dispatch_create(struct fm_engine *engine, size_t record_size,
                                       fm_dispatch_handler_t *handler, void *context)
{
    struct fm_dispatch *dispatch = fm_allocate(1, sizeof *dispatch);
    *dispatch = (struct fm_dispatch){
        .engine = engine,
        .exchange = fm_exchange_create(engine, record_size),
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
        fm_exchange_free(dispatch->exchange);
        fm_free(dispatch);
    }
}

void fm_dispatch_post(struct fm_dispatch *dispatch, unsigned worker, uint32_t process,
                      const void *record)
{
    memcpy(fm_exchange_post(dispatch->exchange, worker, process), record, dispatch->record_size);
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

void fm_dispatch_deliver(struct fm_dispatch *dispatch)
{
    if (dispatch->engine->workers == 1 && fm_team_size(dispatch->engine->team) == 1) {
        return; /* nothing was kept */
    }
    fm_exchange_deliver(dispatch->exchange);
    fm_engine_run(dispatch->engine, handle, dispatch);
    fm_exchange_clear(dispatch->exchange);
}
