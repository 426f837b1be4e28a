/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a process: requests that one of its threads began and another completed. */
#include "base/containers/search.h"
#include "base/containers/sort.h"
#include "trace/builder/builder_internal.h"

#include <string.h>

static int compare_open(const void *a, const void *b)
{
    const struct fm_open_request *left = a, *right = b;
    if (left->id != right->id) {
        return left->id < right->id ? -1 : 1;
    }
    if (left->time != right->time) {
        return left->time < right->time ? -1 : 1;
    }
    if (left->location != right->location) {
        return left->location < right->location ? -1 : 1;
    }
    return left->row < right->row ? -1 : left->row > right->row;
}

static int compare_foreign(const void *a, const void *b)
{
    const struct fm_foreign_completion *left = a, *right = b;
    if (left->time != right->time) {
        return left->time < right->time ? -1 : 1;
    }
    return left->location < right->location ? -1 : left->location > right->location;
}

static uint64_t start_time(const struct fm_trace *trace, const struct fm_open_request *open)
{
    const struct fm_location *location = &trace->locations[open->location];
    uint32_t start = open->kind == FM_REQUEST_COLLECTIVE
                         ? location->collectives.items[open->row].start
                     : open->kind == FM_REQUEST_SEND ? location->sends.items[open->row].start
                                                     : location->receives.items[open->row].start;
    return location->enter.items[start];
}

static void complete_elsewhere(struct fm_trace *trace, const struct fm_open_request *open,
                               const struct fm_foreign_completion *completion)
{
    struct fm_location *location = &trace->locations[open->location];
    if (open->kind == FM_REQUEST_COLLECTIVE) {
        struct fm_collective *part = &location->collectives.items[open->row];
        part->complete = completion->activity;
        part->complete_location = completion->location;
        part->communicator = completion->communicator;
        part->root = completion->peer;
        part->operation = completion->operation;
        part->moved_bytes = completion->moved_bytes;
        part->size_class = completion->size_class;
        part->persistent = completion->persistent;
        part->init = completion->init;
        return;
    }
    struct fm_message_end *end = open->kind == FM_REQUEST_SEND
                                     ? &location->sends.items[open->row]
                                     : &location->receives.items[open->row];
    if (completion->cancelled) {
        end->communicator = FM_NONE;
        return;
    }
    end->complete = completion->activity;
    end->complete_location = completion->location;
    if (open->kind == FM_REQUEST_RECEIVE) {
        end->communicator = completion->communicator;
        end->peer = completion->peer;
        end->tag = completion->tag;
        end->bytes = completion->bytes;
        end->partitioned =
            fm_location_partitioned(location, completion->partitioned, completion->id);
    }
}

/* The last pause of a process that began before a time; NULL: there is none. */
static const struct fm_pause *pause_before(const struct fm_trace *trace, uint32_t process,
                                           uint64_t time)
{
    const struct fm_process *p = &trace->processes[process];
    const struct fm_pause *last = NULL;
    for (uint32_t l = p->first_location; l < p->first_location + p->location_count; ++l) {
        const struct fm_pause *pauses = trace->locations[l].pauses.items;
        size_t low = 0, high = trace->locations[l].pauses.count;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (pauses[middle].begin <= time) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low > 0 && (last == NULL || pauses[low - 1].begin > last->begin)) {
            last = &pauses[low - 1];
        }
    }
    return last;
}

/* An operation whose start, at `started`, was not recorded: it counts as an unrecorded member of
 * its series, which keeps the matching order of the others. */
static void complete_unrecorded(struct fm_location *location, uint64_t started,
                                const struct fm_foreign_completion *completion)
{
    bool collective = completion->kind == FM_REQUEST_COLLECTIVE;
    struct fm_unrecorded gap = {
        .time = started,
        .count = 1,
        .reference = completion->communicator,
        .peer = collective ? completion->persistent : completion->peer,
        .tag = collective ? 0 : completion->tag,
        .series = (uint8_t)(collective ? FM_SERIES_COLLECTIVES : FM_SERIES_RECEIVES),
    };
    if (gap.reference == FM_NONE) {
        return;
    }
    fm_vector_push(&location->unrecorded, gap);
    for (size_t i = location->unrecorded.count - 1; i > 0; --i) {
        struct fm_unrecorded *items = location->unrecorded.items;
        if (items[i - 1].time <= gap.time) {
            break;
        }
        items[i] = items[i - 1];
        items[i - 1] = gap;
    }
}

void fm_builder_note_unrecorded_start(struct fm_builder *builder,
                                      const struct fm_foreign_completion *completion)
{
    struct fm_location *location = &builder->trace->locations[completion->location];
    const struct fm_pause *pause =
        pause_before(builder->trace, location->process, completion->time);
    uint64_t started = location->enter.items[completion->activity];
    if (builder->next_silent_start < builder->silent_starts.count &&
        builder->silent_starts.items[builder->next_silent_start].enter <= started) {
        started = builder->silent_starts.items[builder->next_silent_start++].enter;
    } else if (pause != NULL) {
        started = pause->begin;
    }
    builder->defects->unrecorded_starts += pause == NULL;
    complete_unrecorded(location, started, completion);
}

/* A receive without its request record: posted when it completed, unless that may have been in a
 * pause. */
static void complete_alone(struct fm_builder *builder,
                           const struct fm_foreign_completion *completion)
{
    const struct fm_trace *trace = builder->trace;
    struct fm_location *location = &trace->locations[completion->location];
    if (completion->kind == FM_REQUEST_COLLECTIVE && !completion->cancelled) {
        fm_builder_note_unrecorded_start(builder, completion);
        return;
    }
    const struct fm_pause *pause = pause_before(trace, location->process, completion->time);
    bool is_end = completion->kind != FM_REQUEST_SEND && !completion->cancelled;
    if (pause != NULL && is_end) {
        complete_unrecorded(location, pause->begin, completion);
        return;
    }
    if (completion->kind == FM_REQUEST_RECEIVE && !completion->cancelled) {
        fm_vector_push(&location->receives,
                       (struct fm_message_end){.start = completion->activity,
                                               .complete = completion->activity,
                                               .complete_location = completion->location,
                                               .communicator = completion->communicator,
                                               .peer = completion->peer,
                                               .tag = completion->tag});
    }
}

/* Merges the receives without a request record, which follow the `posted` others, among them: all
 * ascend by their start. */
static void put_in_order(struct fm_location *location, size_t posted)
{
    size_t count = location->receives.count;
    if (posted == count) {
        return;
    }
    struct fm_message_end *ordered = fm_resize(NULL, 0, count * sizeof *ordered);
    size_t next = 0, alone = posted, matched = 0;
    for (size_t row = 0; row < count; ++row) {
        const struct fm_message_end *items = location->receives.items;
        if (next == posted || (alone < count && items[alone].start < items[next].start)) {
            ordered[row] = items[alone++];
            continue;
        }
        while (matched < location->matched.count &&
               location->matched.items[matched].receive == next) {
            location->matched.items[matched++].receive = (uint32_t)row;
        }
        ordered[row] = items[next++];
    }
    memcpy(location->receives.items, ordered, count * sizeof *ordered);
    fm_free(ordered);
}

/* A send matches like any other if its completion is missing: some recorders write none, the
 * request may have been freed, or recording was paused or ended before. A receive without the
 * record of its completion is unknown. */
static uint64_t complete_unseen_sends(struct fm_trace *trace, const struct fm_requests *requests)
{
    uint64_t found = 0;
    for (size_t o = 0; o < requests->left_open.count; ++o) {
        const struct fm_open_request *open = &requests->left_open.items[o];
        if (open->location != FM_NONE && open->kind == FM_REQUEST_SEND) {
            trace->locations[open->location].sends.items[open->row].complete = FM_UNRECORDED;
            ++found;
        }
    }
    return found;
}

/* @return the oldest operation that a completion may belong to and that is still open, or NULL */
static struct fm_open_request *find_open(const struct fm_requests *requests,
                                         const struct fm_foreign_completion *completion)
{
    size_t count = requests->left_open.count;
    if (count == 0) {
        return NULL;
    }
    size_t first = fm_count_below(&requests->left_open.items->id, count,
                                  sizeof *requests->left_open.items, completion->id);
    for (size_t o = first; o < requests->left_open.count; ++o) {
        struct fm_open_request *open = &requests->left_open.items[o];
        if (open->id != completion->id) {
            break;
        }
        if (open->location != FM_NONE && open->time <= completion->time &&
            (completion->cancelled || open->kind == completion->kind)) {
            return open;
        }
    }
    return NULL;
}

static int compare_silent_starts(const void *a, const void *b)
{
    const struct fm_silent_start *left = a, *right = b;
    if (left->enter != right->enter) {
        return left->enter < right->enter ? -1 : 1;
    }
    return left->location < right->location ? -1 : left->location > right->location;
}

/* @return the number of operations that were completed */
static uint64_t complete_foreign(struct fm_builder *builder)
{
    const struct fm_requests *requests = &builder->requests;
    const struct fm_process *process = &builder->trace->processes[builder->location->process];
    struct fm_location *locations = &builder->trace->locations[process->first_location];
    size_t *posted = fm_allocate(process->location_count, sizeof *posted);
    uint64_t completed = 0;
    for (uint32_t l = 0; l < process->location_count; ++l) {
        posted[l] = locations[l].receives.count;
    }
    for (size_t f = 0; f < requests->foreign.count; ++f) {
        const struct fm_foreign_completion *completion = &requests->foreign.items[f];
        struct fm_open_request *open = find_open(requests, completion);
        if (open != NULL) {
            complete_elsewhere(builder->trace, open, completion);
            open->location = FM_NONE;
            ++completed;
        } else if (!completion->is_awaited) {
            complete_alone(builder, completion);
        }
    }
    for (uint32_t l = 0; l < process->location_count; ++l) {
        put_in_order(&locations[l], posted[l]);
    }
    fm_free(posted);
    return completed;
}

void fm_builder_end_process(struct fm_builder *builder)
{
    struct fm_requests *requests = &builder->requests;
    fm_builder_forget_forks(builder, 0);
    for (size_t o = 0; o < requests->left_open.count; ++o) {
        struct fm_open_request *open = &requests->left_open.items[o];
        open->time = start_time(builder->trace, open);
    }
    fm_sort(requests->left_open.items, requests->left_open.count, sizeof *requests->left_open.items,
            compare_open);
    fm_sort(requests->foreign.items, requests->foreign.count, sizeof *requests->foreign.items,
            compare_foreign);
    fm_sort(builder->silent_starts.items, builder->silent_starts.count,
            sizeof *builder->silent_starts.items, compare_silent_starts);
    uint64_t completed = requests->foreign.count != 0 ? complete_foreign(builder) : 0;
    uint64_t unrecorded = complete_unseen_sends(builder->trace, requests);
    builder->defects->unrecorded_completions += unrecorded;
    builder->defects->open_requests += requests->left_open.count - completed - unrecorded;
    fm_requests_clear(requests);
    builder->silent_starts.count = builder->next_silent_start = 0;
}
