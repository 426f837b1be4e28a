/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends, and the messages that a location has not received yet at a time: the state sequence M of
 * F. Wolf, Automatic Performance Analysis on Parallel Computers with SMP Nodes, 2002, Def. 3.7.
 *
 * The sends to a process are kept in the order in which they began. A segment tree has the latest
 * end of a receive below each node, so that parts without such a message are passed over: a
 * query takes O(log n) for each message that it finds. */
#include "access/access_tables.h"

#include "analysis/model/call_ref.h"
#include "base/containers/map.h"
#include "base/containers/sort.h"
#include "base/memory.h"

/* ---- which message a send is ---- */

/* The messages of a channel of a call, which are its sends in their order. */
struct channel {
    uint32_t next, last; /* positions in `following`; NO_MESSAGE: none */
};

enum { NO_MESSAGE = UINT32_MAX };

struct matching {
    struct fm_map numbers[4]; /* of calls, of these with a receiver, a communicator, a tag */
    FM_VECTOR(struct channel) channels;
    FM_VECTOR(uint32_t) following; /* [message]: the next one of its channel */
};

/* @return the number of a pair, which is the next one if it is new */
static uint32_t number_of(struct fm_map *map, uint32_t first, uint32_t second)
{
    return *fm_map_at(map, (uint64_t)first << 32 | second, (uint32_t)map->count);
}

static struct channel *channel_of(struct matching *matching, struct fm_call_ref call,
                                  uint32_t receiver, uint32_t communicator, uint32_t tag)
{
    const uint32_t from = number_of(&matching->numbers[0], call.location, call.activity);
    const uint32_t to = number_of(&matching->numbers[1], from, receiver);
    const uint32_t on = number_of(&matching->numbers[2], to, communicator);
    const uint32_t channel = number_of(&matching->numbers[3], on, tag);
    while (matching->channels.count <= channel) {
        fm_vector_push(&matching->channels, (struct channel){NO_MESSAGE, NO_MESSAGE});
    }
    return &matching->channels.items[channel];
}

static void add_messages(struct fm_access_source *source, struct matching *matching)
{
    const struct fm_trace *trace = source->trace;
    uint32_t number = 0;
    for (uint32_t p = 0; p < trace->process_count; p++) {
        const fm_detail_messages *messages = &source->detail->messages[p];
        for (size_t i = 0; i < messages->count; i++, number++) {
            const struct fm_detail_message *message = &messages->items[i];
            const struct fm_message_end *receive =
                &trace->locations[message->record_location].receives.items[message->record_row];
            const struct fm_call_ref call = {message->send_location, message->send_activity};
            fm_vector_push(&matching->following, NO_MESSAGE);
            struct channel *channel =
                channel_of(matching, call, p, receive->communicator, receive->tag);
            if (channel->last == NO_MESSAGE) {
                channel->next = number;
            } else {
                matching->following.items[channel->last] = number;
            }
            channel->last = number;
        }
    }
}

static int64_t take_message(struct matching *matching, struct channel *channel)
{
    const uint32_t number = channel->next;
    if (number == NO_MESSAGE) {
        return -1;
    }
    channel->next = matching->following.items[number];
    return number;
}

/* ---- the table ---- */

static void put_send(struct fm_access_source *source, struct matching *matching, uint32_t location,
                     const struct fm_message_end *send, size_t row)
{
    struct fermata_trace *tables = source->tables;
    const struct fm_trace *trace = source->trace;
    const int64_t call = fm_access_call(source, location, send->start);
    const uint32_t process =
        fm_trace_member(trace, send->communicator, send->peer, trace->locations[location].process);
    fm_access_int64(tables, FM_COLUMN_sends_call)[row] = call;
    fm_access_int32(tables, FM_COLUMN_sends_destination)[row] =
        process == FM_NONE ? -1 : (int32_t)trace->processes[process].first_location;
    fm_access_int64(tables, FM_COLUMN_sends_bytes)[row] = send->bytes;
    fm_access_int64(tables, FM_COLUMN_sends_tag)[row] = send->tag;
    fm_access_int32(tables, FM_COLUMN_sends_communicator)[row] = (int32_t)send->communicator;
    if (process != FM_NONE) {
        const struct fm_call_ref start = {location, send->start};
        fm_access_int64(tables, FM_COLUMN_sends_message)[row] = take_message(
            matching, channel_of(matching, start, process, send->communicator, send->tag));
    }
}

static void make_sends(struct fm_access_source *source, struct matching *matching)
{
    const struct fm_trace *trace = source->trace;
    size_t most = 0, row = 0;
    for (uint32_t l = 0; l < trace->location_count; l++) {
        most += trace->locations[l].sends.count;
    }
    fm_access_size(source->tables, FM_TABLE_OF_sends, most);
    for (uint32_t l = 0; l < trace->location_count; l++) {
        for (size_t i = 0; i < trace->locations[l].sends.count; i++) {
            const struct fm_message_end *send = &trace->locations[l].sends.items[i];
            if (send->communicator != FM_NONE) { /* it is not cancelled */
                put_send(source, matching, l, send, row++);
            }
        }
    }
    fm_access_shorten(source->tables, FM_TABLE_OF_sends, row);
}

/* ---- the queues ---- */

struct sent {
    int64_t begin, row;
};

static int compare_sent(const void *left, const void *right)
{
    const struct sent *a = left, *b = right;
    if (a->begin != b->begin) {
        return a->begin < b->begin ? -1 : 1;
    }
    return a->row < b->row ? -1 : a->row > b->row;
}

/* @return the end of the call that receives a message; INT64_MAX: none does */
static int64_t received_at(const struct fermata_trace *tables, int64_t send)
{
    const int64_t *message = tables->data[FM_COLUMN_sends_message];
    const int64_t *receive = tables->data[FM_COLUMN_messages_receive];
    const int64_t *leave = tables->data[FM_COLUMN_calls_leave];
    const int64_t call = message[send] < 0 ? -1 : receive[message[send]];
    return call < 0 ? INT64_MAX : leave[call];
}

static void make_queue(struct fermata_trace *tables, struct fm_access_queue *queue,
                       struct sent *sent, size_t count)
{
    fm_sort(sent, count, sizeof *sent, compare_sent);
    queue->count = count;
    queue->leaves = 1;
    while (queue->leaves < count) {
        queue->leaves *= 2;
    }
    queue->sends = fm_allocate(count, sizeof *queue->sends);
    queue->received_at = fm_allocate(2 * queue->leaves, sizeof *queue->received_at);
    for (size_t i = 0; i < 2 * queue->leaves; i++) {
        queue->received_at[i] = INT64_MIN;
    }
    for (size_t i = 0; i < count; i++) {
        queue->sends[i] = sent[i].row;
        queue->received_at[queue->leaves + i] = received_at(tables, sent[i].row);
    }
    for (size_t i = queue->leaves; i-- > 1;) {
        const int64_t left = queue->received_at[2 * i], right = queue->received_at[2 * i + 1];
        queue->received_at[i] = left > right ? left : right;
    }
}

void fm_access_sends(struct fm_access_source *source)
{
    struct fermata_trace *tables = source->tables;
    const struct fm_trace *trace = source->trace;
    struct matching matching = {0};
    add_messages(source, &matching);
    make_sends(source, &matching);
    for (size_t i = 0; i < 4; i++) {
        fm_map_free(&matching.numbers[i]);
    }
    fm_vector_free(&matching.channels);
    fm_vector_free(&matching.following);

    const size_t count = tables->rows[FM_TABLE_OF_sends];
    const int32_t *destination = tables->data[FM_COLUMN_sends_destination];
    const int64_t *call = tables->data[FM_COLUMN_sends_call];
    const int64_t *enter = tables->data[FM_COLUMN_calls_enter];
    size_t *end = fm_allocate(trace->process_count + (size_t)1, sizeof *end);
    struct sent *sent = fm_allocate(count, sizeof *sent);
    tables->process_of = fm_allocate(trace->location_count, sizeof *tables->process_of);
    for (uint32_t l = 0; l < trace->location_count; l++) {
        tables->process_of[l] = trace->locations[l].process;
    }
    for (size_t i = 0; i < count; i++) { /* sorted by destination, by counting */
        if (destination[i] >= 0 && call[i] >= 0) {
            end[tables->process_of[destination[i]] + 1]++;
        }
    }
    for (uint32_t p = 0; p < trace->process_count; p++) {
        end[p + 1] += end[p];
    }
    for (size_t i = 0; i < count; i++) {
        if (destination[i] >= 0 && call[i] >= 0) {
            sent[end[tables->process_of[destination[i]]]++] =
                (struct sent){enter[call[i]], (int64_t)i};
        }
    }
    tables->queue_count = trace->process_count;
    tables->queues = fm_allocate(trace->process_count, sizeof *tables->queues);
    for (uint32_t p = 0; p < trace->process_count; p++) { /* end[p] is that of the process now */
        const size_t first = p == 0 ? 0 : end[p - 1];
        make_queue(tables, &tables->queues[p], &sent[first], end[p] - first);
    }
    fm_free(sent);
    fm_free(end);
}

void fm_access_free_queues(struct fermata_trace *tables)
{
    for (size_t p = 0; p < tables->queue_count; p++) {
        fm_free(tables->queues[p].sends);
        fm_free(tables->queues[p].received_at);
    }
    fm_free(tables->queues);
    fm_free(tables->process_of);
}

/* ---- a query ---- */

struct query {
    const struct fm_access_queue *queue;
    int64_t time;
    size_t end; /* number of the sends that have begun */
    int64_t *rows;
    size_t room, found;
};

/* Takes the messages that are not received yet below a node, whose leaves are [first, first +
 * width). */
static void take_below(struct query *query, size_t node, size_t first, size_t width)
{
    if (first >= query->end || query->queue->received_at[node] <= query->time) {
        return;
    }
    if (width > 1) {
        take_below(query, 2 * node, first, width / 2);
        take_below(query, 2 * node + 1, first + width / 2, width / 2);
        return;
    }
    if (query->found < query->room) {
        query->rows[query->found] = query->queue->sends[first];
    }
    query->found++;
}

size_t fm_access_queue(const struct fermata_trace *trace, size_t location, int64_t time,
                       int64_t *rows, size_t room)
{
    if (location >= trace->rows[FM_TABLE_OF_locations]) {
        return 0;
    }
    const struct fm_access_queue *queue = &trace->queues[trace->process_of[location]];
    const int64_t *enter = trace->data[FM_COLUMN_calls_enter];
    const int64_t *call = trace->data[FM_COLUMN_sends_call];
    size_t low = 0, high = queue->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (enter[call[queue->sends[middle]]] <= time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    struct query query = {.queue = queue, .time = time, .end = low, .rows = rows, .room = room};
    take_below(&query, 1, 0, queue->leaves);
    return query.found;
}
