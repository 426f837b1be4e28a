/* SPDX-License-Identifier: BSD-3-Clause */
#include "timeline/arrows.h"

#include "timeline/thread_arrows.h"

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

/* @return the arrow of a one-sided operation; at the target it ends on the first thread */
static struct fm_arrow operation_arrow(const struct fm_trace *trace, uint32_t origin,
                                       const struct fm_rma *rma, uint32_t target)
{
    const struct fm_arrow_end call = {origin, rma->activity,
                                      enter_of(trace, origin, rma->activity)};
    const struct fm_arrow_end end = {origin, rma->activity, leave_of(trace, origin, rma->activity)};
    if (rma->type == FM_RMA_GET) {
        return (struct fm_arrow){
            .tail = {target, FM_NONE, call.time}, .head = end, .kind = FM_ARROW_GET};
    }
    return (struct fm_arrow){
        .tail = call,
        .head = {target, FM_NONE, end.time},
        .kind = rma->type == FM_RMA_PUT ? FM_ARROW_PUT : FM_ARROW_ATOMIC,
    };
}

static void add_operations(struct collection *collection, uint32_t index)
{
    const struct fm_trace *trace = collection->trace;
    const struct fm_location *location = &trace->locations[index];
    const uint64_t *bytes = location->operation_bytes.items;
    for (size_t i = 0; i < location->rma.count; i++) {
        const struct fm_rma *rma = &location->rma.items[i];
        if (rma->type > FM_RMA_ATOMIC) {
            continue;
        }
        uint64_t moved = *bytes++;
        if (rma->window >= trace->window_count) {
            continue;
        }
        uint32_t target = fm_trace_member(trace, trace->windows[rma->window].communicator,
                                          rma->peer, location->process);
        if (target != FM_NONE && target != location->process) {
            struct fm_arrow arrow =
                operation_arrow(trace, index, rma, trace->processes[target].first_location);
            arrow.bytes = moved;
            add(collection, arrow);
        }
    }
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
    for (uint32_t i = 0; i < detail->trace->location_count; i++) {
        add_operations(&collection, i);
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
