/* SPDX-License-Identifier: BSD-3-Clause */
#include "timeline/arrows.h"

#include "timeline/thread_arrows.h"
#include "timeline/transfers.h"

#include <stdlib.h>

struct collection {
    const struct fm_trace *trace;
    uint64_t from, to;
    fm_arrows arrows;
};

static uint64_t enter_of(const struct fm_trace *trace, uint32_t location, uint32_t activity)
{
    return trace->locations[location].enter.items[activity];
}

static uint64_t leave_of(const struct fm_trace *trace, uint32_t location, uint32_t activity)
{
    return trace->locations[location].leave.items[activity];
}

static void add(struct collection *collection, struct fm_arrow arrow)
{
    if (arrow.tail.time >= collection->from && arrow.tail.time <= collection->to &&
        arrow.head.time >= collection->from && arrow.head.time <= collection->to) {
        fm_vector_push(&collection->arrows, arrow);
    }
}

static void add_of_threads(void *context, const struct fm_arrow *arrow)
{
    add(context, *arrow);
}

static void add_messages(struct collection *collection, const fm_detail_messages *messages)
{
    const struct fm_trace *trace = collection->trace;
    for (size_t i = 0; i < messages->count; i++) {
        const struct fm_detail_message *message = &messages->items[i];
        add(collection,
            (struct fm_arrow){
                .tail = {message->send_location, message->send_activity,
                         enter_of(trace, message->send_location, message->send_activity)},
                .head = {message->receive_location, message->receive_activity,
                         leave_of(trace, message->receive_location, message->receive_activity)},
                .bytes = message->bytes,
                .kind = FM_ARROW_MESSAGE,
            });
    }
}

static struct fm_arrow_end end_of_call(const struct fm_trace *trace, uint32_t location,
                                       uint32_t activity)
{
    return (struct fm_arrow_end){location, activity, leave_of(trace, location, activity)};
}

static struct fm_arrow get_arrow(const struct fm_trace *trace, const struct fm_transfer *get)
{
    const bool is_complete = get->origin_end != FM_NONE;
    return (struct fm_arrow){
        .tail = {get->target, FM_NONE, enter_of(trace, get->origin, get->start)},
        .head = end_of_call(trace, get->origin, is_complete ? get->origin_end : get->start),
        .kind = FM_ARROW_GET,
    };
}

static struct fm_arrow put_arrow(const struct fm_trace *trace, const struct fm_transfer *put)
{
    struct fm_arrow arrow = {
        .tail = {put->origin, put->start, enter_of(trace, put->origin, put->start)},
        .kind = put->type == FM_RMA_PUT ? FM_ARROW_PUT : FM_ARROW_ATOMIC,
    };
    if (put->target_end != FM_NONE) {
        arrow.head = end_of_call(trace, put->target, put->target_end);
    }
    if (put->target_end == FM_NONE || arrow.head.time < arrow.tail.time) { /* no call; bad clocks */
        const uint32_t end = put->origin_end != FM_NONE ? put->origin_end : put->start;
        arrow.head = (struct fm_arrow_end){put->target, FM_NONE, leave_of(trace, put->origin, end)};
    }
    return arrow;
}

static uint64_t bytes_of(const struct fm_trace *trace, const struct fm_transfer *transfer)
{
    const struct fm_location *origin = &trace->locations[transfer->origin];
    return transfer->number < origin->operation_bytes.count
               ? origin->operation_bytes.items[transfer->number]
               : 0;
}

static void add_operations(struct collection *collection)
{
    const struct fm_trace *trace = collection->trace;
    fm_transfers transfers = fm_transfers_find(trace);
    for (size_t i = 0; i < transfers.count; i++) {
        const struct fm_transfer *transfer = &transfers.items[i];
        struct fm_arrow arrow =
            transfer->type == FM_RMA_GET ? get_arrow(trace, transfer) : put_arrow(trace, transfer);
        arrow.bytes = bytes_of(trace, transfer);
        add(collection, arrow);
    }
    fm_vector_free(&transfers);
}

static void add_causes(struct collection *collection, uint32_t index,
                       const struct fm_findings *findings)
{
    const struct fm_trace *trace = collection->trace;
    for (size_t i = 0; i < findings->waits.count; i++) {
        const struct fm_candidate *wait = &findings->candidates.items[findings->waits.items[i]];
        add(collection, (struct fm_arrow){
                            .tail = {wait->cause_location, wait->cause_activity, wait->t},
                            .head = {index, wait->activity, leave_of(trace, index, wait->activity)},
                            .kind = FM_ARROW_CAUSE,
                            .metric = wait->metric,
                        });
    }
}

static int compare_arrows(const void *left, const void *right)
{
    const struct fm_arrow *a = left, *b = right;
    if (a->tail.location != b->tail.location) {
        return a->tail.location < b->tail.location ? -1 : 1;
    }
    if (a->tail.activity != b->tail.activity) {
        return a->tail.activity < b->tail.activity ? -1 : 1;
    }
    if (a->kind != b->kind) {
        return a->kind < b->kind ? -1 : 1;
    }
    if (a->head.time != b->head.time) {
        return a->head.time < b->head.time ? -1 : 1;
    }
    if (a->head.location != b->head.location) {
        return a->head.location < b->head.location ? -1 : 1;
    }
    return (a->tail.time > b->tail.time) - (a->tail.time < b->tail.time);
}

fm_arrows fm_arrows_collect(const struct fm_detail *detail, uint64_t from, uint64_t to)
{
    struct collection collection = {.trace = detail->trace, .from = from, .to = to};
    for (uint32_t i = 0; i < detail->trace->process_count; i++) {
        add_messages(&collection, &detail->messages[i]);
        fm_thread_arrows(detail->trace, i, add_of_threads, &collection);
    }
    add_operations(&collection);
    for (uint32_t i = 0; i < detail->trace->location_count; i++) {
        add_causes(&collection, i, &detail->findings[i]);
    }
    if (collection.arrows.count > 1) {
        qsort(collection.arrows.items, collection.arrows.count, sizeof *collection.arrows.items,
              compare_arrows);
    }
    return collection.arrows;
}

const struct fm_arrow *fm_arrows_from(const fm_arrows *arrows, uint32_t location, uint32_t activity,
                                      size_t *count)
{
    size_t low = 0, high = arrows->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct fm_arrow_end *tail = &arrows->items[middle].tail;
        if (tail->location < location ||
            (tail->location == location && tail->activity < activity)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    size_t end = low;
    while (end < arrows->count && arrows->items[end].tail.location == location &&
           arrows->items[end].tail.activity == activity) {
        end++;
    }
    *count = end - low;
    return &arrows->items[low];
}

const char *fm_arrow_name(const struct fm_arrow *arrow)
{
    static const char *const names[] = {
        "message",      "put",        "get",  "atomic operation", "lock", "fork",
        "thread start", "thread end", "task", "lock hand-over"};
    return arrow->kind == FM_ARROW_CAUSE ? fm_metric_info((fm_metric_t)arrow->metric)->name
                                         : names[arrow->kind];
}
