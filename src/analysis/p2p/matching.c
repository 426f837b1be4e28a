/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/p2p/matching.h"

static size_t receive_count(const struct fm_location *location)
{
    return location->receives.count;
}

static uint32_t receive_start(const struct fm_location *location, uint32_t row)
{
    return location->receives.items[row].start;
}

/* Size of the direct-mapped cache of stream positions, which spares the two map look-ups of the
 * most recently used streams. */
#define LEAST_RECENT 8u
#define MOST_RECENT  1024u

static inline uint32_t *recent_of(const struct fm_receiver *receiver, uint32_t communicator,
                                  uint32_t source, uint32_t tag)
{
    return &receiver->recent[(source + tag + communicator) & (receiver->recent_count - 1)];
}

/* Enlarges and clears the cache of recent streams. */
static void forget_recent(struct fm_receiver *receiver)
{
    uint32_t count = receiver->recent_count == 0 ? LEAST_RECENT : receiver->recent_count * 4;
    receiver->recent = fm_resize(receiver->recent, receiver->recent_count * sizeof(uint32_t),
                                 count * sizeof(uint32_t));
    receiver->recent_count = count;
    for (uint32_t i = 0; i < count; ++i) {
        receiver->recent[i] = FM_NONE;
    }
}

/* @return the number of a pair, which is the next one if it is new */
static uint32_t number_of(struct fm_map *map, uint32_t first, uint32_t second)
{
    return *fm_map_at(map, (uint64_t)first << 32 | second, (uint32_t)map->count);
}

static uint32_t add_stream(struct fm_receiver *receiver, uint32_t communicator, uint32_t source,
                           uint32_t tag, uint64_t partitioned)
{
    uint32_t number = number_of(&receiver->stream_of_source, communicator, source);
    uint32_t next = (uint32_t)receiver->streams.count;
    uint64_t key = (uint64_t)number << 32 | tag;
    struct fm_map *positions = &receiver->stream_of_tag;
    if (partitioned != 0) {
        number = number_of(&receiver->partitioned[0], number, tag);
        number = number_of(&receiver->partitioned[1], number, (uint32_t)(partitioned >> 32));
        key = (uint64_t)number << 32 | (uint32_t)partitioned;
        positions = &receiver->partitioned[2];
    }
    uint32_t position = *fm_map_at(positions, key, next);
    if (position == next) {
        fm_vector_push(&receiver->streams, (struct fm_stream){.communicator = communicator,
                                                              .source = source,
                                                              .tag = tag,
                                                              .partitioned = partitioned,
                                                              .first = FM_NONE,
                                                              .last = FM_NONE});
        if (next >= receiver->recent_count && receiver->recent_count < MOST_RECENT) {
            forget_recent(receiver);
        }
    }
    return position;
}

/* @return the position of a stream, which is added if it is new */
static inline uint32_t find_stream(struct fm_receiver *receiver, uint32_t communicator,
                                   uint32_t source, uint32_t tag, uint64_t partitioned)
{
    uint32_t recent = *recent_of(receiver, communicator, source, tag);
    if (recent < receiver->streams.count) {
        const struct fm_stream *stream = &receiver->streams.items[recent];
        if (stream->source == source && stream->tag == tag &&
            stream->communicator == communicator && stream->partitioned == partitioned) {
            return recent;
        }
    }
    recent = add_stream(receiver, communicator, source, tag, partitioned);
    *recent_of(receiver, communicator, source, tag) = recent;
    return recent;
}

uint32_t fm_receiver_stream(const struct fm_receiver *receiver, uint32_t communicator,
                            uint32_t source, uint32_t tag)
{
    const uint32_t number =
        fm_map_get(&receiver->stream_of_source, (uint64_t)communicator << 32 | source);
    const uint32_t position = number == FM_MAP_ABSENT ? FM_MAP_ABSENT
                                                      : fm_map_get(&receiver->stream_of_tag,
                                                                   (uint64_t)number << 32 | tag);
    return position == FM_MAP_ABSENT ? FM_NONE : position;
}

/* Whether the recorded call of a receive is the call that posted it; cached for the last region. */
struct posts {
    uint32_t region;
    bool is_known;
};

/* @return Enter of the call that posted a receive. UINT64_MAX if it is unknown: without a record of
 * the request, the recorded call is the one that completed it (such as MPI_Wait). */
static uint64_t posted_at(const struct fm_trace *trace, struct fm_record_ref record,
                          struct posts *posts)
{
    uint32_t post = fm_trace_post(trace, &record.location, record.row);
    const struct fm_location *location = &trace->locations[record.location];
    uint32_t region = fm_trace_region(location, post);
    if (region != posts->region) {
        posts->region = region;
        posts->is_known = !fm_call_completes_requests(trace->regions[region].name);
    }
    return posts->is_known ? location->enter.items[post] : UINT64_MAX;
}

/* Appends a receive to its stream, unless it was never completed. */
static void add_receive(struct fm_receiver *receiver, const struct fm_trace *trace,
                        uint32_t process, uint32_t number, struct fm_record_ref record,
                        struct posts *posts)
{
    const struct fm_message_end *receive =
        &trace->locations[record.location].receives.items[record.row];
    receiver->arrivals[number].location = FM_NONE;
    if (receive->communicator == FM_NONE || receive->complete == FM_NONE) {
        return;
    }
    uint32_t source = fm_trace_member(trace, receive->communicator, receive->peer, process);
    const struct fm_location *location = &trace->locations[record.location];
    const uint64_t partitioned =
        receive->partitioned == 0 ? 0
                                  : location->partitioned.items[receive->partitioned - 1].operation;
    uint32_t position =
        find_stream(receiver, receive->communicator, source, receive->tag, partitioned);
    struct fm_stream *stream = &receiver->streams.items[position];
    if (stream->last == FM_NONE) {
        stream->first = number;
    } else {
        receiver->arrivals[stream->last].next = number;
    }
    stream->last = number;
    receiver->arrivals[number].next = FM_NONE;
    receiver->arrivals[number].posted = posted_at(trace, record, posts);
    if (receiver->ordinals != NULL) {
        receiver->ordinals[number] = stream->received++;
    }
    ++receiver->unmatched_receives;
}

static void skip_receives(struct fm_receiver *receiver, const struct fm_trace *trace,
                          uint32_t process, struct fm_gaps *gaps, uint64_t time)
{
    const struct fm_unrecorded *gap;
    while ((gap = fm_gaps_before(gaps, time)) != NULL) {
        if (gap->series == FM_SERIES_RECEIVES) {
            uint32_t source = fm_trace_member(trace, gap->reference, gap->peer, process);
            uint32_t position = find_stream(receiver, gap->reference, source, gap->tag, 0);
            receiver->streams.items[position].received += gap->count;
        }
    }
}

void fm_receiver_open(struct fm_receiver *receiver, const struct fm_trace *trace, uint32_t process,
                      struct fm_gaps *gaps, bool keeps_ends)
{
    const struct fm_process *owner = &trace->processes[process];
    size_t count = 0;
    bool has_probes = false;
    for (uint32_t t = 0; t < owner->location_count; ++t) {
        count += trace->locations[owner->first_location + t].receives.count;
        has_probes |= trace->locations[owner->first_location + t].probes.count != 0;
    }
    *receiver = (struct fm_receiver){
        .first_location = owner->first_location,
        .count = (uint32_t)count,
        .arrivals = fm_resize(NULL, 0, count * sizeof *receiver->arrivals),
        .ends = keeps_ends ? fm_resize(NULL, 0, count * sizeof *receiver->ends) : NULL,
        .has_probes = has_probes,
    };
    forget_recent(receiver);
    if (owner->location_count > 1) {
        receiver->records = fm_resize(NULL, 0, count * sizeof *receiver->records);
    }
    if (gaps != NULL) {
        receiver->ordinals = fm_resize(NULL, 0, count * sizeof *receiver->ordinals);
        fm_gaps_begin(gaps, trace, process);
    }
    struct fm_record_merge merge;
    struct fm_record_ref record;
    struct posts posts = {.region = FM_NONE};
    fm_record_merge_begin(&merge, trace, process, receive_count, receive_start);
    for (uint32_t number = 0; fm_record_merge_next(&merge, &record); ++number) {
        if (gaps != NULL) {
            const struct fm_location *location = &trace->locations[record.location];
            skip_receives(receiver, trace, process, gaps,
                          location->enter.items[receive_start(location, record.row)]);
        }
        if (receiver->records != NULL) {
            receiver->records[number] = record;
        }
        add_receive(receiver, trace, process, number, record, &posts);
    }
    if (gaps != NULL) {
        skip_receives(receiver, trace, process, gaps, UINT64_MAX);
    }
}

void fm_receiver_close(struct fm_receiver *receiver)
{
    fm_free(receiver->records);
    fm_free(receiver->ordinals);
    fm_free(receiver->arrivals);
    fm_free(receiver->ends);
    fm_free(receiver->recent);
    fm_vector_free(&receiver->late_receivers);
    fm_vector_free(&receiver->streams);
    fm_vector_free(&receiver->unreceived);
    fm_map_free(&receiver->stream_of_source);
    fm_map_free(&receiver->stream_of_tag);
    for (size_t i = 0; i < sizeof receiver->partitioned / sizeof receiver->partitioned[0]; ++i) {
        fm_map_free(&receiver->partitioned[i]);
    }
}

/* Removes the receives of unrecorded sends from the stream: those before message number `sent`. */
static void cut_off_receives(struct fm_receiver *receiver, struct fm_stream *stream, uint64_t sent)
{
    while (stream->first != FM_NONE && receiver->ordinals[stream->first] < sent) {
        stream->first = receiver->arrivals[stream->first].next;
        --receiver->unmatched_receives;
        ++receiver->cut_off;
    }
}

/* Removes the receive of the next send from the stream. @return its number; FM_NONE: it is missing,
 * or was not recorded, which is counted */
static uint32_t match(struct fm_receiver *receiver, struct fm_stream *stream)
{
    uint64_t ordinal = stream->sent++;
    if (receiver->ordinals != NULL) {
        cut_off_receives(receiver, stream, ordinal);
        if (ordinal < stream->received &&
            (stream->first == FM_NONE || receiver->ordinals[stream->first] > ordinal)) {
            ++receiver->cut_off;
            return FM_NONE;
        }
    }
    uint32_t receive = stream->first;
    if (receive == FM_NONE) {
        ++receiver->unmatched_sends;
    } else {
        stream->first = receiver->arrivals[receive].next;
        --receiver->unmatched_receives;
    }
    return receive;
}

void fm_receiver_finish(struct fm_receiver *receiver)
{
    for (size_t i = 0; receiver->ordinals != NULL && i < receiver->streams.count; ++i) {
        struct fm_stream *stream = &receiver->streams.items[i];
        cut_off_receives(receiver, stream, stream->sent);
    }
}

const struct fm_arrival *fm_receiver_take(struct fm_receiver *receiver, const struct fm_sent *sent)
{
    uint32_t position =
        find_stream(receiver, sent->communicator, sent->source, sent->tag, sent->partitioned);
    struct fm_stream *stream = &receiver->streams.items[position];
    if (sent->start == FM_NONE) {
        stream->sent += sent->enter;
        return NULL;
    }
    uint32_t receive = match(receiver, stream);
    if (receive == FM_NONE) {
        if (receiver->has_probes) {
            fm_vector_push(&receiver->unreceived, ((struct fm_arrival){
                                                      .sent = sent->enter,
                                                      .location = sent->location,
                                                      .start = sent->start,
                                                      .stream = position,
                                                  }));
        }
        return NULL;
    }
    struct fm_arrival *arrival = &receiver->arrivals[receive];
    arrival->sent = sent->enter;
    arrival->delivered = sent->never_waits || sent->is_buffered || sent->partitioned != 0
                             ? UINT64_MAX
                             : sent->complete_leave;
    arrival->location = sent->location;
    arrival->start = sent->start;
    arrival->row_location = sent->row_location;
    arrival->row = sent->row;
    arrival->stream = position;
    arrival->late = FM_NONE;
    if (receiver->ends != NULL) {
        receiver->ends[receive] = (struct fm_send_end){
            .start_leave = sent->start_leave,
            .complete_enter = sent->is_polled ? sent->complete_leave : sent->complete_enter,
            .complete_leave = sent->complete_leave,
            .complete = {sent->complete_location, sent->complete},
            .bytes = sent->bytes,
            .is_completed = !sent->never_waits,
            .is_buffered = sent->is_buffered_send,
            .only_starts = sent->only_starts,
            .is_alone = sent->is_alone,
        };
    }
    if (!sent->never_waits && sent->complete_enter < arrival->posted &&
        arrival->posted <= sent->complete_leave) {
        arrival->late = (uint32_t)receiver->late_receivers.count;
        fm_vector_push(&receiver->late_receivers,
                       (struct fm_late_receiver){
                           .location = sent->complete_location,
                           .complete = sent->complete,
                           .bytes = sent->bytes,
                           .completed = sent->completed,
                           .lateness = arrival->posted - sent->complete_enter,
                       });
    }
    return arrival;
}
