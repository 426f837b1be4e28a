/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions that are open at the end of a location, and what the call among them waits for: its
 * records lack those that are written when a call returns, so that parameters stand for them
 * (base/awaited_names.h). */
#include "trace/builder/builder_internal.h"

#include <otf2/otf2.h>
#include <string.h>
#include <strings.h>

/* ---- statements ---- */

/* @return the group that a statement of the innermost call belongs to
 * @param stated  bit of a parameter; 0: of a request */
static struct fm_open_wait *group_of(struct fm_builder *builder, uint32_t stated)
{
    if (builder->awaited.count != 0) {
        struct fm_open_wait *last = &builder->awaited.items[builder->awaited.count - 1];
        if (last->activity == builder->current_activity && !last->has_request &&
            (last->stated & stated) == 0 && stated != FM_STATES(OWNER)) {
            return last;
        }
    }
    fm_vector_push(&builder->awaited, ((struct fm_open_wait){.activity = builder->current_activity,
                                                             .communicator = FM_NONE,
                                                             .source = FM_NONE,
                                                             .tag = FM_NONE,
                                                             .root = FM_NONE,
                                                             .window = FM_NONE,
                                                             .target = FM_NONE,
                                                             .owner = FM_NONE,
                                                             .taken_in = FM_NONE,
                                                             .row = FM_NONE}));
    return &builder->awaited.items[builder->awaited.count - 1];
}

void fm_builder_await(struct fm_builder *builder, fm_parameter_t parameter, uint32_t value)
{
    if (builder->current_activity == FM_NONE) {
        ++builder->defects->unusable_records;
        return;
    }
    const uint32_t stated = 1U << (parameter - FM_PARAMETER_AWAITED_COMMUNICATOR);
    struct fm_open_wait *group = group_of(builder, stated);
    group->stated |= stated;
    switch (parameter) {
    case FM_PARAMETER_AWAITED_COMMUNICATOR:
        group->communicator = value;
        break;
    case FM_PARAMETER_AWAITED_SOURCE:
        group->source = value;
        break;
    case FM_PARAMETER_AWAITED_TAG:
        group->tag = value;
        break;
    case FM_PARAMETER_AWAITED_ROOT:
        group->root = value;
        break;
    case FM_PARAMETER_AWAITED_WINDOW:
        group->window = value;
        break;
    case FM_PARAMETER_AWAITED_TARGET:
        group->target = value;
        break;
    case FM_PARAMETER_AWAITED_OWNER:
        group->owner = value;
        break;
    case FM_PARAMETER_AWAITED_OMITTED:
        group->omitted = value;
        break;
    case FM_PARAMETER_AWAITED_TAKEN_IN:
        group->taken_in = value;
        break;
    default: /* since when an owner has a lock */
        break;
    }
}

void fm_builder_await_request(struct fm_builder *builder, uint64_t request)
{
    if (builder->current_activity != FM_NONE) {
        struct fm_open_wait *group = group_of(builder, 0);
        group->has_request = true;
        group->request = request;
    }
}

void fm_builder_forget_awaited(struct fm_builder *builder, uint32_t activity)
{
    while (!builder->is_ending && builder->awaited.count != 0 &&
           builder->awaited.items[builder->awaited.count - 1].activity >= activity) {
        builder->awaited.count--;
    }
}

/* ---- messages ---- */

/* Whether a group names one source and one tag: then the receive has a place in the matching order.
 */
static bool is_exact(const struct fm_open_wait *group)
{
    return (group->stated & FM_STATES(SOURCE)) != 0 && group->source != FM_NONE &&
           group->tag != FM_NONE && group->communicator != FM_NONE;
}

static struct fm_message_end received_by(const struct fm_builder *builder, uint32_t start,
                                         const struct fm_open_wait *group)
{
    return (struct fm_message_end){
        .start = start,
        .complete = builder->current_activity,
        .complete_location = builder->location_index,
        .communicator = group->communicator,
        .peer = group->source,
        .tag = group->tag,
    };
}

/* ---- collective operations ---- */

/* The part of this location in a collective operation that it has not completed. How many bytes it
 * moves is not known: some, as far as the rules need to know. */
static struct fm_collective part_in(const struct fm_builder *builder, uint32_t start,
                                    const struct fm_open_wait *group)
{
    return (struct fm_collective){
        .start = start,
        .complete = builder->current_activity,
        .complete_location = builder->location_index,
        .communicator = group->communicator,
        .window = FM_NONE,
        .root = group->root,
        .operation = FM_OPERATION_UNKNOWN,
        .non_blocking = start != builder->current_activity,
        .moved_bytes = true,
        .size_class = fm_trace_size_class(1),
        .persistent = FM_NONE,
        .init = FM_NONE,
    };
}

static bool is_collective_of_library(const struct fm_region *called)
{
    switch (called->call) {
    case FM_CALL_BARRIER:
    case FM_CALL_ALL_TO_ALL:
    case FM_CALL_ONE_TO_ALL:
    case FM_CALL_ALL_TO_ONE:
    case FM_CALL_ALLOCATE:
    case FM_CALL_DEALLOCATE:
        return true;
    default:
        return false;
    }
}

/* @return the first window of all processes, which collective operations without stated members
 * have; FM_NONE: there is none */
static uint32_t window_of_all(const struct fm_trace *trace)
{
    for (uint32_t w = 0; w < trace->window_count; w++) {
        const uint32_t communicator = trace->windows[w].communicator;
        if (communicator != FM_NONE && !trace->communicators[communicator].is_self &&
            trace->communicators[communicator].size == trace->process_count) {
            return w;
        }
    }
    return FM_NONE;
}

static void take_part_in_library(struct fm_builder *builder, const struct fm_open_wait *group)
{
    const struct fm_trace *trace = builder->trace;
    struct fm_collective part = part_in(builder, builder->current_activity, group);
    if (part.communicator == FM_NONE) {
        part.window = group->window != FM_NONE ? group->window : window_of_all(trace);
        part.communicator =
            part.window == FM_NONE ? FM_NONE : trace->windows[part.window].communicator;
    }
    if (part.communicator != FM_NONE) {
        fm_builder_take_part(builder, &part);
    }
}

/* ---- windows ---- */

/* Writes the record by which a call on a window would have named it. */
static void name_window(struct fm_builder *builder, const struct fm_region *called,
                        const struct fm_open_wait *group)
{
    switch (called->call) {
    case FM_CALL_FENCE:
    case FM_CALL_WINDOW_CREATE:
    case FM_CALL_WINDOW_FREE:
        fm_builder_rma(builder, FM_RMA_COLLECTIVE, group->window, FM_NONE, false, 0, 0, 0);
        break;
    case FM_CALL_FLUSH:
    case FM_CALL_FLUSH_ALL:
    case FM_CALL_FLUSH_LOCAL:
    case FM_CALL_FLUSH_LOCAL_ALL:
        fm_builder_rma(builder, FM_RMA_SYNC, group->window, group->target, false, 0, 0, 0);
        break;
    case FM_CALL_UNLOCK:
        fm_builder_rma(builder, FM_RMA_LOCK_RELEASE, group->window, group->target, false, 0, 0, 0);
        break;
    default:
        break;
    }
}

/* ---- requests ---- */

/* Finds the operation of a request, which the call completes unless it completes none: then it only
 * states that the request is active. */
static void complete_request(struct fm_builder *builder, struct fm_open_wait *group, bool completes)
{
    struct fm_location *location = builder->location;
    struct fm_requests *requests = &builder->requests;
    const uint64_t id = group->request;
    group->kind = FM_OPEN_OTHER;
    group->row = fm_requests_find(requests, FM_REQUEST_RECEIVE, id);
    if (group->row != FM_MAP_ABSENT) {
        group->kind = FM_OPEN_RECEIVE;
        if (completes && is_exact(group)) {
            (void)fm_requests_take(requests, FM_REQUEST_RECEIVE, id);
            struct fm_message_end *receive = &location->receives.items[group->row];
            *receive = received_by(builder, receive->start, group);
        }
        return;
    }
    group->row = fm_requests_find(requests, FM_REQUEST_SEND, id);
    if (group->row != FM_MAP_ABSENT) {
        group->kind = FM_OPEN_SEND;
        if (completes) {
            (void)fm_requests_take(requests, FM_REQUEST_SEND, id);
            location->sends.items[group->row].complete = builder->current_activity;
        }
        return;
    }
    group->row = fm_requests_find(requests, FM_REQUEST_COLLECTIVE, id);
    if (group->row != FM_MAP_ABSENT) {
        struct fm_collective *part = &location->collectives.items[group->row];
        const char *start = fm_trace_called(builder->trace, location, part->start)->name;
        group->kind = FM_OPEN_COLLECTIVE;
        /* A persistent operation counts apart from others, but which one it is, is not stated. */
        if (completes && group->communicator != FM_NONE &&
            strncasecmp(start, "MPI_Start", 9) != 0) {
            (void)fm_requests_take(requests, FM_REQUEST_COLLECTIVE, id);
            *part = part_in(builder, part->start, group);
        }
        return;
    }
    group->row = FM_NONE;
    const bool receives = (group->stated & FM_STATES(SOURCE)) != 0;
    if (completes && (!receives || is_exact(group))) {
        fm_builder_note_foreign(builder,
                                (struct fm_foreign_completion){
                                    .id = id,
                                    .kind = receives                         ? FM_REQUEST_RECEIVE
                                            : group->communicator != FM_NONE ? FM_REQUEST_COLLECTIVE
                                                                             : FM_REQUEST_SEND,
                                    .is_awaited = true,
                                    .communicator = group->communicator,
                                    .peer = receives ? group->source : group->root,
                                    .tag = group->tag,
                                    .operation = FM_OPERATION_UNKNOWN,
                                    .moved_bytes = true,
                                    .size_class = fm_trace_size_class(1),
                                    .persistent = FM_NONE,
                                    .init = FM_NONE,
                                });
    }
}

/* ---- the end of a location ---- */

/* What a probe has found is what a call waits for that is never left. */
static void take_probes(struct fm_builder *builder)
{
    struct fm_location *location = builder->location;
    while (location->probes.count != 0 &&
           location->probes.items[location->probes.count - 1].activity ==
               builder->current_activity) {
        const struct fm_probe *probe = &location->probes.items[--location->probes.count];
        struct fm_open_wait *group = group_of(builder, FM_STATES(SOURCE));
        group->stated |= FM_STATES(COMMUNICATOR) | FM_STATES(SOURCE) | FM_STATES(TAG);
        group->communicator = probe->communicator;
        group->source = probe->peer;
        group->tag = probe->tag;
    }
}

static void complete_call(struct fm_builder *builder, const struct fm_region *called,
                          const struct fm_open_wait *group)
{
    const bool states_message = (group->stated & FM_STATES(SOURCE)) != 0;
    const bool is_window = strncasecmp(called->name, "MPI_Win_", 8) == 0;
    if (states_message) {
        if (strcasestr(called->name, "recv") != NULL && is_exact(group)) {
            const uint32_t activity = builder->current_activity;
            fm_vector_push(&builder->location->receives, received_by(builder, activity, group));
        }
    } else if ((group->stated & FM_STATES(WINDOW)) != 0) {
        name_window(builder, called, group);
    } else if (group->communicator != FM_NONE && !is_window &&
               called->call != FM_CALL_DETACHED_COMMUNICATOR) {
        const struct fm_collective part = part_in(builder, builder->current_activity, group);
        fm_builder_take_part(builder, &part);
    }
}

/* Completes the tables by what the innermost call, which is never left, waits for. */
static void interpret(struct fm_builder *builder)
{
    const struct fm_region *called =
        fm_trace_called(builder->trace, builder->location, builder->current_activity);
    take_probes(builder);
    size_t first = builder->awaited.count;
    while (first > 0 && builder->awaited.items[first - 1].activity == builder->current_activity) {
        first--;
    }
    if (!fm_builder_is_in_mpi(builder) && is_collective_of_library(called)) {
        const struct fm_open_wait nothing = {
            .communicator = FM_NONE, .root = FM_NONE, .window = FM_NONE};
        take_part_in_library(
            builder, first < builder->awaited.count ? &builder->awaited.items[first] : &nothing);
    }
    const bool completes = fm_call_completes_requests(called->name);
    for (size_t i = first; i < builder->awaited.count; i++) {
        struct fm_open_wait *group = &builder->awaited.items[i];
        if (group->has_request) {
            complete_request(builder, group, completes);
        } else if (fm_builder_is_in_mpi(builder)) {
            complete_call(builder, called, group);
        }
        fm_vector_push(&builder->location->open_waits, *group);
    }
}

/* @return the ticks of an open frame that are its own, if it is no activity
 * @param inside  the frame in it; NULL: it is the innermost one */
static uint64_t own_time(const struct fm_builder *builder, const struct fm_frame *frame,
                         const struct fm_frame *inside)
{
    if (frame->activity != FM_NONE || frame->has_stretches) {
        return 0;
    }
    return (inside == NULL ? builder->now : inside->enter) - frame->enter - frame->inner;
}

void fm_builder_note_open(struct fm_builder *builder)
{
    struct fm_location *location = builder->location;
    const size_t depth = builder->frames.count;
    for (size_t i = 0; i < depth; i++) {
        const struct fm_frame *frame = &builder->frames.items[i];
        fm_vector_push(&location->open,
                       ((struct fm_unleft_region){
                           frame->visit, frame->activity, frame->phase, frame->is_computation,
                           own_time(builder, frame, i + 1 < depth ? frame + 1 : NULL)}));
    }
    location->is_incomplete |= builder->is_paused;
    if (builder->current_activity != FM_NONE && !location->is_incomplete) {
        interpret(builder);
    }
}
