/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages: sends and receives, and the calls that complete them. */
#include "trace/builder/builder_internal.h"

/* @return the size of a message as it is stored */
static uint32_t size_of_message(uint64_t bytes)
{
    return bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
}

void fm_builder_send(struct fm_builder *builder, uint32_t communicator, uint32_t peer, uint32_t tag,
                     uint64_t bytes, const uint64_t *request)
{
    uint64_t *values = fm_builder_counts(builder);
    if (values != NULL) {
        ++values[bytes == 0 ? FM_COUNT_EMPTY_SENDS : FM_COUNT_SENDS];
        values[FM_COUNT_BYTES_SENT] += bytes;
    }
    if (!fm_builder_is_usable(builder, communicator)) {
        return;
    }
    fm_traffic_count(&builder->traffic, FM_TRAFFIC_MESSAGES, communicator, peer, bytes);
    struct fm_location *location = builder->location;
    if (request != NULL) {
        fm_requests_start(&builder->requests, FM_REQUEST_SEND, *request,
                          (uint32_t)location->sends.count);
    }
    const uint32_t partitioned =
        request == NULL || builder->partitioned.operation == 0
            ? 0
            : fm_location_partitioned(location, fm_builder_take_partitioned(builder), *request);
    fm_vector_push(&location->sends,
                   (struct fm_message_end){
                       .start = builder->current_activity,
                       .complete = request == NULL ? builder->current_activity : FM_NONE,
                       .complete_location = builder->location_index,
                       .communicator = communicator,
                       .peer = peer,
                       .tag = tag,
                       .bytes = size_of_message(bytes),
                       .partitioned = partitioned,
                   });
}

void fm_builder_send_complete(struct fm_builder *builder, uint64_t request)
{
    if (builder->current_activity == FM_NONE) {
        ++builder->defects->unusable_records;
        return;
    }
    fm_polling_completed(builder, request);
    uint32_t row = fm_requests_take(&builder->requests, FM_REQUEST_SEND, request);
    if (row != FM_MAP_ABSENT) {
        builder->location->sends.items[row].complete = builder->current_activity;
    } else {
        fm_builder_note_foreign(
            builder, (struct fm_foreign_completion){.id = request, .kind = FM_REQUEST_SEND});
    }
}

void fm_builder_receive_request(struct fm_builder *builder, uint64_t request)
{
    if (builder->current_activity == FM_NONE) {
        ++builder->defects->unusable_records;
        return;
    }
    struct fm_location *location = builder->location;
    uint32_t open = fm_requests_find(&builder->requests, FM_REQUEST_RECEIVE, request);
    if (open != FM_MAP_ABSENT &&
        fm_trace_called(builder->trace, location, location->receives.items[open].start)->call ==
            FM_CALL_MATCHED_PROBE) {
        /* The matched probe determines the place in the matching order, the Imrecv the time of the
         * post. */
        fm_vector_push(&location->matched,
                       (struct fm_matched_receive){open, builder->current_activity});
        return;
    }
    location->has_matched_probes |=
        fm_trace_called(builder->trace, location, builder->current_activity)->call ==
        FM_CALL_MATCHED_PROBE;
    fm_requests_start(&builder->requests, FM_REQUEST_RECEIVE, request,
                      (uint32_t)location->receives.count);
    fm_vector_push(&location->receives, (struct fm_message_end){.start = builder->current_activity,
                                                                .complete = FM_NONE,
                                                                .communicator = FM_NONE});
}

void fm_builder_receive(struct fm_builder *builder, uint32_t communicator, uint32_t peer,
                        uint32_t tag, uint64_t bytes, const uint64_t *request)
{
    uint64_t *values = fm_builder_counts(builder);
    if (values != NULL) {
        ++values[bytes == 0 ? FM_COUNT_EMPTY_RECEIVES : FM_COUNT_RECEIVES];
        values[FM_COUNT_BYTES_RECEIVED] += bytes;
    }
    if (!fm_builder_is_usable(builder, communicator)) {
        return;
    }
    if (request != NULL) {
        fm_polling_completed(builder, *request);
    }
    struct fm_location *location = builder->location;
    struct fm_message_end received = {
        .start = builder->current_activity,
        .complete = builder->current_activity,
        .complete_location = builder->location_index,
        .communicator = communicator,
        .peer = peer,
        .tag = tag,
        .bytes = size_of_message(bytes),
    };
    uint32_t row = request == NULL
                       ? FM_MAP_ABSENT
                       : fm_requests_take(&builder->requests, FM_REQUEST_RECEIVE, *request);
    const struct fm_partitioned_message partitioned = fm_builder_take_partitioned(builder);
    if (row != FM_MAP_ABSENT) {
        received.start = location->receives.items[row].start;
        received.partitioned = fm_location_partitioned(location, partitioned, *request);
        location->receives.items[row] = received;
    } else if (request != NULL && builder->trace->processes[location->process].location_count > 1) {
        fm_builder_note_foreign(builder,
                                (struct fm_foreign_completion){.id = *request,
                                                               .kind = FM_REQUEST_RECEIVE,
                                                               .communicator = communicator,
                                                               .peer = peer,
                                                               .tag = tag,
                                                               .bytes = received.bytes,
                                                               .partitioned = partitioned});
    } else {
        fm_vector_push(&location->receives, received);
    }
}

void fm_builder_cancelled(struct fm_builder *builder, uint64_t request)
{
    fm_polling_completed(builder, request);
    uint32_t receive = fm_requests_take(&builder->requests, FM_REQUEST_RECEIVE, request);
    if (receive != FM_MAP_ABSENT) {
        builder->location->receives.items[receive].communicator = FM_NONE;
        return;
    }
    uint32_t send = fm_requests_take(&builder->requests, FM_REQUEST_SEND, request);
    if (send != FM_MAP_ABSENT) {
        builder->location->sends.items[send].communicator = FM_NONE;
        return;
    }
    fm_builder_note_foreign(builder,
                            (struct fm_foreign_completion){.id = request, .cancelled = true});
}

void fm_builder_probe(struct fm_builder *builder, fm_parameter_t parameter, uint32_t value)
{
    switch (parameter) {
    case FM_PARAMETER_PROBE_COMMUNICATOR:
        builder->probe =
            (struct fm_probe){.activity = builder->current_activity, .communicator = value};
        break;
    case FM_PARAMETER_PROBE_SOURCE:
        builder->probe.peer = value;
        break;
    default: /* FM_PARAMETER_PROBE_TAG */
        builder->probe.tag = value;
        if (builder->current_activity != FM_NONE &&
            builder->probe.activity == builder->current_activity &&
            fm_builder_is_usable(builder, builder->probe.communicator)) {
            fm_vector_push(&builder->location->probes, builder->probe);
        }
    }
}
