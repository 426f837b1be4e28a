/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/dispatch/dispatch.h"

#include "base/memory.h"
#include "engine/backoff.h"
#include "engine/dispatch/channels.h"
#include "engine/dispatch/team_channels.h"
#include "engine/engine_internal.h"

#include <stdatomic.h>
#include <string.h>

static void take_from_worker(void *owner, unsigned worker, uint32_t process, const void *record)
{
    struct fm_dispatch *dispatch = owner;
    dispatch->handler(dispatch->context, worker, process, record);
}

/* The first worker receives for all workers of its process and passes their records on. */
static void take_from_team(void *owner, unsigned worker, uint32_t process, const void *record)
{
    struct fm_dispatch *dispatch = owner;
    if (dispatch->owner_of[process] != worker) {
        fm_dispatch_post(dispatch, worker, process, record);
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
        .channels = fm_channels_create(engine->workers, record_size, take_from_worker, dispatch),
        .team = fm_team_channels_create(engine, record_size, take_from_team, dispatch),
        .handler = handler,
        .context = context,
        .owner_of = engine->owner_of,
        .record_size = record_size,
        .counts = fm_allocate_apart(engine->workers, sizeof *dispatch->counts),
    };
    return dispatch;
}

void fm_dispatch_carry_items(struct fm_dispatch *dispatch, size_t offset, size_t item_size)
{
    if (dispatch->team != NULL) {
        fm_team_channels_carry_items(dispatch->team, offset, item_size);
    }
}

void fm_dispatch_free(struct fm_dispatch *dispatch)
{
    if (dispatch != NULL) {
        fm_channels_free(dispatch->channels);
        fm_team_channels_free(dispatch->team);
        fm_free(dispatch->counts);
        fm_free(dispatch);
    }
}

void fm_dispatch_post(struct fm_dispatch *dispatch, unsigned worker, uint32_t process,
                      const void *record)
{
    unsigned owner = dispatch->owner_of[process];
    if (owner < dispatch->engine->workers) {
        memcpy(fm_channel_post(dispatch->channels, worker, owner, process), record,
               dispatch->record_size);
    } else {
        fm_team_channel_post(dispatch->team, worker, process, record);
    }
}

/* A stage whose workers send records to one another. */
struct sending {
    struct fm_dispatch *dispatch;
    fm_stage_t *stage;
    void *context;
    atomic_uint senders; /* workers whose stage still runs */
};

static bool is_over(struct sending *sending, unsigned worker)
{
    struct fm_team_channels *team = sending->dispatch->team;
    return atomic_load(&sending->senders) == 0 &&
           (team == NULL || fm_team_channel_is_over(team, worker));
}

/* Takes the records that other processes have sent, and passes them on to the workers that own
 * their destinations. @return whether there were any */
static bool take_from_processes(struct fm_dispatch *dispatch, unsigned worker)
{
    if (dispatch->team == NULL || worker != 0 || !fm_team_channel_take(dispatch->team)) {
        return false;
    }
    fm_channel_hand_over(dispatch->channels, worker);
    return true;
}

static void send_and_take(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct sending *sending = context;
    struct fm_dispatch *dispatch = sending->dispatch;
    sending->stage(sending->context, worker, first, last);
    fm_channel_hand_over(dispatch->channels, worker);
    if (dispatch->team != NULL) {
        fm_team_channel_hand_over(dispatch->team, worker);
    }
    atomic_fetch_sub(&sending->senders, 1);
    for (unsigned turn = 0; !is_over(sending, worker); ++turn) {
        bool from_processes = take_from_processes(dispatch, worker);
        if (fm_channel_take(dispatch->channels, worker) || from_processes) {
            turn = 0;
        } else if (!fm_spin(turn)) {
            fm_backoff(turn - FM_SPIN_POLLS);
        }
    }
    fm_channel_take(dispatch->channels, worker);
}

static void count_records(struct fm_dispatch *dispatch)
{
    uint64_t records = 0;
    for (unsigned w = 0; w < dispatch->engine->workers; ++w) {
        records += dispatch->counts[w].records;
        dispatch->counts[w].records = 0;
    }
    fm_stage_count(dispatch->engine->times, records, records * dispatch->record_size);
}

void fm_dispatch_run(struct fm_dispatch *dispatch, fm_stage_t *stage, void *context)
{
    struct sending sending = {dispatch, stage, context, dispatch->engine->workers};
    if (dispatch->team != NULL) {
        fm_team_channels_begin(dispatch->team);
    }
    fm_engine_run(dispatch->engine, send_and_take, &sending);
    if (dispatch->team != NULL) {
        fm_team_channels_end(dispatch->team);
    }
    count_records(dispatch);
}

static void send_nothing(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)context;
    (void)worker;
    (void)first;
    (void)last;
}

void fm_dispatch_deliver(struct fm_dispatch *dispatch)
{
    fm_dispatch_run(dispatch, send_nothing, NULL);
}
