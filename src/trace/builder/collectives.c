/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts in collective operations, also on windows outside of MPI. */
#include "trace/builder/builder_internal.h"

#include <otf2/otf2.h>

void fm_builder_collective_request(struct fm_builder *builder, uint64_t request)
{
    if (builder->current_activity == FM_NONE) {
        ++builder->defects->unusable_records;
        return;
    }
    struct fm_location *location = builder->location;
    if (builder->silent_starts.count != 0) {
        const struct fm_silent_start *last =
            &builder->silent_starts.items[builder->silent_starts.count - 1];
        builder->silent_starts.count -= last->activity == builder->current_activity &&
                                        last->location == builder->location_index;
    }
    fm_requests_start(&builder->requests, FM_REQUEST_COLLECTIVE, request,
                      (uint32_t)location->collectives.count);
    fm_vector_push(&location->collectives,
                   (struct fm_collective){.start = builder->current_activity,
                                          .complete = FM_NONE,
                                          .communicator = FM_NONE,
                                          .window = FM_NONE,
                                          .non_blocking = true,
                                          .persistent = FM_NONE,
                                          .init = FM_NONE});
}

static void count_collective(struct fm_builder *builder, uint64_t sent, uint64_t received)
{
    uint64_t *values = fm_builder_counts(builder);
    if (values != NULL) {
        fm_count_t kind = FM_COUNT_EMPTY_COLLECTIVES;
        if (sent != 0) {
            kind = received != 0 ? FM_COUNT_COLLECTIVE_EXCHANGES : FM_COUNT_COLLECTIVE_SOURCES;
        } else if (received != 0) {
            kind = FM_COUNT_COLLECTIVE_DESTINATIONS;
        }
        ++values[kind];
        values[FM_COUNT_BYTES_COLLECTIVE_OUT] += sent;
        values[FM_COUNT_BYTES_COLLECTIVE_IN] += received;
    }
}

/* @return this call's part in the creation of a communicator, if it was noted already */
static struct fm_collective *detached_creation(struct fm_builder *builder)
{
    struct fm_location *location = builder->location;
    uint32_t activity = builder->current_activity;
    if (fm_trace_called(builder->trace, location, activity)->call ==
            FM_CALL_DETACHED_COMMUNICATOR &&
        location->collectives.count != 0) {
        struct fm_collective *last = &location->collectives.items[location->collectives.count - 1];
        return last->start == activity ? last : NULL;
    }
    return NULL;
}

/* @return whether this call has a blocking part on the same communicator, or window, already: a
 * call has one, so that the record stands twice */
static bool is_copy(const struct fm_builder *builder, const struct fm_collective *part)
{
    const struct fm_location *location = builder->location;
    for (size_t i = location->collectives.count; i-- > 0;) {
        const struct fm_collective *other = &location->collectives.items[i];
        if (other->start != part->start) {
            break;
        }
        if (!other->non_blocking && other->communicator == part->communicator &&
            other->window == part->window) {
            return true;
        }
    }
    return false;
}

/* Notes that the current call completes a collective. @return false: it has completed it already */
static bool note_completed(struct fm_builder *builder, uint64_t request)
{
    if (builder->completing != builder->current_activity) {
        builder->completing = builder->current_activity;
        builder->completed.count = 0;
    }
    if (fm_requests_find(&builder->requests, FM_REQUEST_COLLECTIVE, request) == FM_MAP_ABSENT) {
        for (size_t i = 0; i < builder->completed.count; ++i) {
            if (builder->completed.items[i] == request) {
                return false;
            }
        }
    }
    fm_vector_push(&builder->completed, request);
    return true;
}

void fm_builder_collective(struct fm_builder *builder, uint8_t operation, uint32_t communicator,
                           uint32_t root, uint64_t sent, uint64_t received,
                           const struct fm_collective_request *request)
{
    if (!fm_builder_is_usable(builder, communicator)) {
        count_collective(builder, sent, received);
        return;
    }
    if (request != NULL) {
        fm_polling_completed(builder, request->id);
    }
    struct fm_collective part = {
        .start = builder->current_activity,
        .complete = builder->current_activity,
        .complete_location = builder->location_index,
        .communicator = communicator,
        .window = FM_NONE,
        .root = root,
        .operation = operation,
        .moved_bytes = sent != 0 || received != 0,
        .size_class = fm_trace_size_class(sent > received ? sent : received),
        .persistent = request == NULL ? FM_NONE : request->persistent,
        .init = request == NULL ? FM_NONE : request->init,
    };
    const bool is_noted = request == NULL && builder->creating == builder->current_activity;
    builder->creating = is_noted ? FM_NONE : builder->creating;
    if (request == NULL ? !is_noted && is_copy(builder, &part)
                        : !note_completed(builder, request->id)) {
        ++builder->defects->doubled_records;
        return;
    }
    count_collective(builder, sent, received);
    struct fm_location *location = builder->location;
    if (request == NULL) {
        if (detached_creation(builder) == NULL) {
            fm_vector_push(&location->collectives, part);
        }
        return;
    }
    uint32_t row = fm_requests_take(&builder->requests, FM_REQUEST_COLLECTIVE, request->id);
    if (row != FM_MAP_ABSENT) {
        part.start = location->collectives.items[row].start;
        part.non_blocking = true;
        location->collectives.items[row] = part;
    } else if (builder->trace->processes[location->process].location_count > 1) {
        fm_builder_note_foreign(builder,
                                (struct fm_foreign_completion){.id = request->id,
                                                               .kind = FM_REQUEST_COLLECTIVE,
                                                               .communicator = communicator,
                                                               .peer = root,
                                                               .operation = operation,
                                                               .moved_bytes = part.moved_bytes,
                                                               .size_class = part.size_class,
                                                               .persistent = part.persistent,
                                                               .init = part.init});
    } else {
        fm_builder_note_unrecorded_start(
            builder, &(struct fm_foreign_completion){.time = builder->now,
                                                     .location = builder->location_index,
                                                     .activity = builder->current_activity,
                                                     .kind = FM_REQUEST_COLLECTIVE,
                                                     .communicator = communicator,
                                                     .persistent = part.persistent});
    }
}

void fm_builder_take_part(struct fm_builder *builder, const struct fm_collective *part)
{
    if (!is_copy(builder, part)) {
        fm_vector_push(&builder->location->collectives, *part);
    }
}

void fm_builder_communicator_created(struct fm_builder *builder, uint32_t communicator)
{
    if (builder->current_activity == FM_NONE || communicator == FM_NONE ||
        fm_trace_called(builder->trace, builder->location, builder->current_activity)->call !=
            FM_CALL_DETACHED_COMMUNICATOR) {
        return;
    }
    struct fm_collective *part = detached_creation(builder);
    if (part != NULL) {
        part->communicator = communicator;
    } else {
        builder->creating = builder->current_activity;
        fm_vector_push(&builder->location->collectives,
                       (struct fm_collective){
                           .start = builder->current_activity,
                           .complete = builder->current_activity,
                           .complete_location = builder->location_index,
                           .communicator = communicator,
                           .window = FM_NONE,
                           .root = OTF2_COLLECTIVE_ROOT_NONE,
                           .operation = OTF2_COLLECTIVE_OP_CREATE_HANDLE,
                           .persistent = FM_NONE,
                           .init = FM_NONE,
                       });
    }
}

void fm_builder_rma_collective(struct fm_builder *builder, uint8_t operation, uint32_t window,
                               uint32_t root, uint64_t sent, uint64_t received)
{
    if (builder->current_activity == FM_NONE || window == FM_NONE ||
        fm_builder_is_in_mpi(builder) || builder->trace->windows[window].communicator == FM_NONE) {
        fm_builder_rma(builder, FM_RMA_COLLECTIVE, window, FM_NONE, false, 0, sent, received);
        return;
    }
    const struct fm_collective part = {
        .start = builder->current_activity,
        .complete = builder->current_activity,
        .complete_location = builder->location_index,
        .communicator = builder->trace->windows[window].communicator,
        .window = window,
        .root = root,
        .operation = operation,
        .moved_bytes = sent != 0 || received != 0,
        .size_class = fm_trace_size_class(sent > received ? sent : received),
        .persistent = FM_NONE,
        .init = FM_NONE,
    };
    if (is_copy(builder, &part)) {
        ++builder->defects->doubled_records;
        return;
    }
    count_collective(builder, sent, received);
    fm_vector_push(&builder->location->collectives, part);
}
