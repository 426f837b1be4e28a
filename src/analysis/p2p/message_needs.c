/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/p2p/message_needs.h"

#include "base/containers/keyed_sort.h"
#include "engine/dispatch/dispatch.h"

#include <string.h>
#include <strings.h>

/* One side of a message: what the call that completes it needs. */
struct side {
    struct fm_call_ref call;
    struct fm_partner_times
        times; /* `begin`: where the call of the event ends, if it only starts */
    uint32_t partner;
    uint8_t what; /* FM_NEEDS_FOR_SEND or FM_NEEDS_FOR_RECEIVE */
    uint8_t size_class;
    bool is_later;
};

typedef FM_VECTOR(struct side) side_vector;

struct fm_message_needs {
    struct fm_analysis *analysis;
    const uint8_t *traits;     /* by region */
    side_vector *sides;        /* by process that owns the call */
    struct fm_dispatch *sent;  /* to senders */
    struct fm_progress *found; /* NULL: not weighed yet */
};

uint8_t *fm_message_traits(const struct fm_trace *trace)
{
    uint8_t *traits = fm_allocate(trace->region_count + (size_t)1, sizeof *traits);
    for (uint32_t r = 0; r < trace->region_count; ++r) {
        const struct fm_region *region = &trace->regions[r];
        const char *name = strchr(region->name, '_');
        if (region->paradigm != FM_PARADIGM_MPI || name == NULL) {
            continue;
        }
        ++name;
        if (strncasecmp(name, "I", 1) == 0 || strncasecmp(name, "Start", 5) == 0 ||
            strncasecmp(name, "Pready", 6) == 0) {
            traits[r] |= FM_MESSAGE_CALL_STARTS;
        }
        if (strncasecmp(name, "Sendrecv", 8) == 0) {
            traits[r] |= FM_MESSAGE_CALL_EXCHANGES;
        }
    }
    return traits;
}

/* ---- listing ---- */

static void keep_side(void *context, unsigned worker, uint32_t process, const void *record)
{
    (void)worker;
    struct fm_message_needs *needs = context;
    fm_vector_push(&needs->sides[process], *(const struct side *)record);
}

static uint8_t traits_of(const struct fm_message_needs *needs, struct fm_call_ref call)
{
    return needs
        ->traits[fm_trace_region(&needs->analysis->trace->locations[call.location], call.activity)];
}

/* Two calls of a partner in which it takes part in a message: the one that starts its side and the
 * one that completes it. */
struct partner_calls {
    uint64_t enter, leave;                   /* of the first */
    uint64_t complete_enter, complete_leave; /* UINT64_MAX: it is never completed */
    bool only_starts;
};

/* @return whether a partner is inside one of the calls of a message when the need begins, or has
 * completed its side, or the needing call is over then */
static bool needs_nobody(const struct partner_calls *partner, uint64_t enter, uint64_t leave)
{
    uint64_t begin = partner->only_starts ? partner->leave : partner->enter;
    begin = enter > begin ? enter : begin;
    return begin >= leave || partner->complete_leave <= begin ||
           (partner->enter <= begin && begin < partner->leave) ||
           (partner->complete_enter <= begin && begin < partner->complete_leave);
}

static struct fm_partner_times describe(const struct partner_calls *partner)
{
    return (struct fm_partner_times){
        .event = partner->enter,
        .begin = partner->only_starts ? partner->leave : partner->enter,
        .until = partner->complete_leave,
    };
}

static void add_receive(struct fm_message_needs *needs, const struct fm_message_ends *message,
                        uint32_t receiver)
{
    const struct fm_trace *trace = needs->analysis->trace;
    const struct fm_send_end *send = message->send;
    const struct partner_calls sender = {
        .enter = message->arrival->sent,
        .leave = send->start_leave,
        .complete_enter = send->is_completed ? send->complete_enter : UINT64_MAX,
        .complete_leave = send->is_completed ? send->complete_leave : UINT64_MAX,
        .only_starts = send->only_starts,
    };
    const bool is_own =
        message->post.activity != FM_NONE && fm_same_call(message->post, message->complete);
    if (is_own && (traits_of(needs, message->complete) & FM_MESSAGE_CALL_EXCHANGES) == 0 &&
        needs_nobody(&sender,
                     fm_trace_begin(&trace->locations[message->complete.location],
                                    message->complete.activity),
                     fm_call_leave(trace, message->complete))) {
        return;
    }
    const struct side side = {
        .call = message->complete,
        .times = describe(&sender),
        .partner = message->sender,
        .what = FM_NEEDS_FOR_RECEIVE,
        .size_class = fm_trace_size_class(send->bytes),
        .is_later = !is_own,
    };
    fm_vector_push(&needs->sides[receiver], side);
}

static void add_send(struct fm_message_needs *needs, unsigned worker,
                     const struct fm_message_ends *message, uint32_t receiver)
{
    const struct fm_trace *trace = needs->analysis->trace;
    const struct fm_send_end *send = message->send;
    if (!send->is_completed || message->post.activity == FM_NONE) {
        return;
    }
    const struct partner_calls receiving = {
        .enter = fm_call_enter(trace, message->post),
        .leave = fm_call_leave(trace, message->post),
        .complete_enter = fm_call_enter(trace, message->complete),
        .complete_leave = fm_call_leave(trace, message->complete),
        .only_starts = (traits_of(needs, message->post) & FM_MESSAGE_CALL_STARTS) != 0,
    };
    if (send->is_alone && needs_nobody(&receiving, send->complete_enter, send->complete_leave)) {
        return;
    }
    const struct side side = {
        .call = send->complete,
        .times = describe(&receiving),
        .partner = receiver,
        .what = FM_NEEDS_FOR_SEND,
        .size_class = fm_trace_size_class(send->bytes),
        .is_later = send->complete.activity != message->arrival->start ||
                    send->complete.location != message->arrival->location,
    };
    fm_dispatch_send(needs->sent, worker, message->sender, &side);
}

void fm_message_needs_add(struct fm_message_needs *needs, unsigned worker,
                          const struct fm_message_ends *message)
{
    if (needs == NULL || message->send->is_buffered) {
        return;
    }
    const uint32_t receiver = fm_trace_process(needs->analysis->trace, message->complete.location);
    if (receiver != message->sender) {
        add_receive(needs, message, receiver);
        add_send(needs, worker, message, receiver);
    }
}

void fm_message_needs_deliver(struct fm_message_needs *needs)
{
    if (needs != NULL) {
        fm_dispatch_deliver(needs->sent);
    }
}

/* ---- weighing ---- */

/* @return the positions of the sides of a process by call and partner, to be freed with fm_free()
 */
static struct fm_keyed *order_of(const struct fm_trace *trace, uint32_t process,
                                 const side_vector *sides)
{
    struct fm_keyed *order = fm_allocate(sides->count, sizeof *order);
    for (size_t i = 0; i < sides->count; ++i) {
        const struct side *side = &sides->items[i];
        order[i] =
            (struct fm_keyed){(uint64_t)side->call.activity << 32 | side->partner, (uint32_t)i};
    }
    fm_keyed_sort(order, sides->count, NULL);
    if (trace->processes[process].location_count > 1) {
        for (size_t i = 0; i < sides->count; ++i) {
            order[i].key = sides->items[order[i].value].call.location;
        }
        fm_keyed_sort(order, sides->count, NULL);
    }
    return order;
}

/* Adds the need of a call for one partner: that of all of their messages, from the latest event on.
 * @param order  of the sides, from the first one of both on
 * @return the number of sides of both */
static size_t add_partner(struct fm_progress *progress, uint32_t process, const struct side *sides,
                          const struct fm_keyed *order, size_t count)
{
    const struct side *first = &sides[order[0].value];
    struct fm_partner_times times = first->times;
    struct fm_needed why = {.window = FM_NONE};
    size_t end = 0;
    for (; end < count; ++end) {
        const struct side *side = &sides[order[end].value];
        if (!fm_same_call(side->call, first->call) || side->partner != first->partner) {
            break;
        }
        if (side->times.event > times.event ||
            (side->times.event == times.event && side->times.begin > times.begin)) {
            times.event = side->times.event;
            times.begin = side->times.begin;
        }
        times.until = side->times.until > times.until ? side->times.until : times.until;
        why.what |= side->what;
        why.size_class = side->size_class > why.size_class ? side->size_class : why.size_class;
        why.is_later |= side->is_later;
    }
    fm_progress_need_of(progress, process, first->call, first->partner, &times, &why);
    return end;
}

static void add_needs(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    struct fm_message_needs *needs = context;
    for (uint32_t process = first; process < last; ++process) {
        side_vector *sides = &needs->sides[process];
        struct fm_keyed *order = order_of(needs->analysis->trace, process, sides);
        for (size_t i = 0; i < sides->count;) {
            i += add_partner(needs->found, process, sides->items, order + i, sides->count - i);
        }
        fm_free(order);
        fm_vector_free(sides);
    }
}

/* Tries the calls of kinds that wait. */
static void add_trials(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    const struct fm_message_needs *needs = context;
    for (uint32_t process = first; process < last; ++process) {
        struct fm_process_needs *found = &needs->found->of_process[process];
        for (uint32_t i = 0; i < found->calls.count; ++i) {
            const struct fm_progress_kind *kind =
                fm_evidence_kind(needs->analysis->message_evidence, process, i);
            if (kind != NULL && kind->waits) {
                fm_progress_try(found, i, 0);
            }
        }
    }
}

const struct fm_progress *fm_message_needs_weigh(struct fm_message_needs *needs)
{
    struct fm_analysis *analysis = needs->analysis;
    needs->found = fm_progress_create(analysis);
    fm_engine_run(analysis->engine, add_needs, needs);
    analysis->message_evidence = fm_evidence_weigh(needs->found, NULL, false);
    if (fm_evidence_any_waits(analysis->message_evidence)) {
        fm_engine_run(analysis->engine, add_trials, needs);
        fm_progress_ask(needs->found);
    }
    return needs->found;
}

struct fm_message_needs *fm_message_needs_create(struct fm_analysis *analysis,
                                                 const uint8_t *traits)
{
    if (analysis->asynchronous_progress) {
        return NULL;
    }
    struct fm_message_needs *needs = fm_allocate(1, sizeof *needs);
    *needs = (struct fm_message_needs){
        .analysis = analysis,
        .traits = traits,
        .sides = fm_allocate(analysis->trace->process_count, sizeof *needs->sides),
        .sent = fm_dispatch_create(analysis->engine, sizeof(struct side), keep_side, needs),
    };
    return needs;
}

void fm_message_needs_free(struct fm_message_needs *needs)
{
    if (needs == NULL) {
        return;
    }
    for (uint32_t p = 0; p < needs->analysis->trace->process_count; ++p) {
        fm_vector_free(&needs->sides[p]);
    }
    fm_progress_free(needs->found);
    fm_dispatch_free(needs->sent);
    fm_free(needs->sides);
    fm_free(needs);
}
