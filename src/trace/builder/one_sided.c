/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided operations, their completions, and locks. */
#include "trace/builder/builder_internal.h"

#include <strings.h>

void fm_builder_lock(struct fm_builder *builder, fm_rma_type_t step, uint32_t window,
                     uint32_t target, uint64_t lock, bool shared)
{
    if (builder->current_activity != FM_NONE && window != FM_NONE &&
        !fm_builder_is_in_mpi(builder)) {
        fm_vector_push(&builder->location->rma,
                       (struct fm_rma){lock, builder->current_activity, window, target,
                                       FM_RMA_LOCK_NAME, false, 0});
    }
    fm_builder_rma(builder, step, window, target, shared, 0, 0, 0);
}

static bool is_completion(fm_rma_type_t type)
{
    return type == FM_RMA_DONE_LOCALLY || type == FM_RMA_DONE_REMOTELY || type == FM_RMA_SYNC;
}

static bool is_in_flush(const struct fm_builder *builder)
{
    fm_call_t call =
        fm_trace_called(builder->trace, builder->location, builder->current_activity)->call;
    return call >= FM_CALL_FLUSH && call <= FM_CALL_FLUSH_LOCAL_ALL;
}

/* @return whether the record is one of a lock epoch, or of an access or exposure epoch, or is an
 * operation with a request or outside of MPI: completions of one-sided operations are kept from
 * then on */
static bool opens_passive_use(const struct fm_builder *builder, fm_rma_type_t type)
{
    return type == FM_RMA_LOCK_REQUEST || type == FM_RMA_LOCK_ACQUIRE ||
           type == FM_RMA_GROUP_SYNC ||
           (type <= FM_RMA_ATOMIC &&
            (fm_trace_called(builder->trace, builder->location, builder->current_activity)->call ==
                 FM_CALL_REQUEST_OPERATION ||
             !fm_builder_is_in_mpi(builder)));
}

void fm_builder_window_created(struct fm_builder *builder, uint32_t window)
{
    if (builder->current_activity == FM_NONE || window == FM_NONE) {
        return;
    }
    const struct fm_region *called =
        fm_trace_called(builder->trace, builder->location, builder->current_activity);
    if (called->call == FM_CALL_WINDOW_CREATE &&
        strcasecmp(called->name, "MPI_Win_allocate_shared") == 0) {
        builder->trace->windows[window].is_shared_memory = true;
    }
}

/* @return whether this call has the same record of a collective on the window, or of an epoch of
 * start, complete, post and wait, already: the record stands twice */
static bool is_copy(const struct fm_builder *builder, fm_rma_type_t type, uint32_t window,
                    uint32_t peer)
{
    const struct fm_location *location = builder->location;
    for (size_t i = location->rma.count; i-- > 0;) {
        const struct fm_rma *other = &location->rma.items[i];
        if (other->activity != builder->current_activity) {
            break;
        }
        if (other->type == (uint8_t)type && other->window == window && other->peer == peer) {
            return true;
        }
    }
    return false;
}

/* A copy of an accelerator. A stream is in a region of it until it is complete, unless it is in
 * another region already. What a stream gets is copied to the accelerator. */
static void add_copy(struct fm_builder *builder, fm_rma_type_t type, uint64_t id, uint64_t bytes)
{
    const bool is_to = type == FM_RMA_GET;
    if (builder->location->is_stream) {
        fm_builder_end_copy(builder);
        if (builder->frames.count == 0 ||
            builder->frames.items[0].call == builder->trace->idle_region) {
            fm_builder_enter(builder, builder->trace->copy_regions + !is_to);
            builder->is_copying = true;
            builder->open_copy = id;
        }
    }
    if (builder->frames.count != 0) {
        const uint32_t visit = builder->frames.items[builder->frames.count - 1].visit;
        fm_builder_counts_of(
            builder,
            visit)[is_to ? FM_COUNT_BYTES_TO_ACCELERATORS : FM_COUNT_BYTES_FROM_ACCELERATORS] +=
            bytes;
    }
}

void fm_builder_end_copy(struct fm_builder *builder)
{
    if (builder->is_copying) {
        builder->is_copying = false;
        fm_builder_leave(builder, builder->frames.items[0].call);
    }
}

void fm_builder_rma(struct fm_builder *builder, fm_rma_type_t type, uint32_t window, uint32_t peer,
                    bool shared, uint64_t id, uint64_t bytes_out, uint64_t bytes_in)
{
    if (builder->location->is_stream ||
        (window != FM_NONE && builder->trace->windows[window].is_of_accelerators)) {
        if (type == FM_RMA_PUT || type == FM_RMA_GET) {
            add_copy(builder, type, id, bytes_out + bytes_in);
        } else if (is_completion(type) && id == builder->open_copy) {
            fm_builder_end_copy(builder);
        }
        return;
    }
    if (type <= FM_RMA_ATOMIC) {
        uint64_t *values = fm_builder_counts(builder);
        if (values != NULL) {
            ++values[FM_COUNT_PUTS + (type - FM_RMA_PUT)];
            values[FM_COUNT_BYTES_PUT] += bytes_out;
            values[FM_COUNT_BYTES_GET] += bytes_in;
        }
    }
    if (!fm_builder_is_usable(builder, window)) {
        return;
    }
    if ((type == FM_RMA_COLLECTIVE || type == FM_RMA_GROUP_SYNC) &&
        is_copy(builder, type, window, peer)) {
        ++builder->defects->doubled_records;
        return;
    }
    if (type == FM_RMA_COLLECTIVE) {
        fm_builder_window_created(builder, window);
    }
    if (type == FM_RMA_DONE_LOCALLY || type == FM_RMA_DONE_REMOTELY) {
        fm_polling_completed(builder, id);
    }
    uint32_t communicator = builder->trace->windows[window].communicator;
    if (type <= FM_RMA_ATOMIC && communicator != FM_NONE) {
        fm_traffic_count(&builder->traffic, FM_TRAFFIC_PUTS + (type - FM_RMA_PUT), communicator,
                         peer, bytes_out + bytes_in);
    }
    builder->completions_matter |= opens_passive_use(builder, type);
    id = type == FM_RMA_LOCK_ACQUIRE ? builder->now : id;
    if (type == FM_RMA_SYNC && !is_in_flush(builder)) {
        return;
    }
    if (type <= FM_RMA_ATOMIC && builder->trace->in_detail) {
        fm_vector_push(&builder->location->operation_bytes, bytes_out + bytes_in);
    }
    const uint64_t larger = bytes_out > bytes_in ? bytes_out : bytes_in;
    if (builder->completions_matter || !is_completion(type)) {
        fm_vector_push(
            &builder->location->rma,
            (struct fm_rma){id, builder->current_activity, window, peer, (uint8_t)type, shared,
                            type <= FM_RMA_ATOMIC ? fm_trace_size_class(larger) : (uint8_t)0});
    }
}
