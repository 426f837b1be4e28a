/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/event_index.h"

#include "analysis/locks/kept_holds.h"
#include "base/containers/sort.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static int compare_sends(const void *left, const void *right)
{
    const struct fm_detail_message *a = *(const struct fm_detail_message *const *)left;
    const struct fm_detail_message *b = *(const struct fm_detail_message *const *)right;
    if (a->send_activity != b->send_activity) {
        return a->send_activity < b->send_activity ? -1 : 1;
    }
    if (a->receive_location != b->receive_location) {
        return a->receive_location < b->receive_location ? -1 : 1;
    }
    return a < b ? -1 : a > b; /* of one receiver: in one table */
}

static int compare_receives(const void *left, const void *right)
{
    const struct fm_detail_message *a = *(const struct fm_detail_message *const *)left;
    const struct fm_detail_message *b = *(const struct fm_detail_message *const *)right;
    if (a->receive_activity != b->receive_activity) {
        return a->receive_activity < b->receive_activity ? -1 : 1;
    }
    if (a->record_location != b->record_location) {
        return a->record_location < b->record_location ? -1 : 1;
    }
    return a->record_row < b->record_row ? -1 : a->record_row > b->record_row;
}

static void index_messages(struct fm_event_index *index, bool sends, bool receives)
{
    const struct fm_trace *trace = index->trace;
    for (uint32_t p = 0; p < trace->process_count; p++) {
        const fm_detail_messages *messages = &index->detail->messages[p];
        for (size_t i = 0; i < messages->count; i++) {
            const struct fm_detail_message *message = &messages->items[i];
            if (sends) {
                fm_vector_push(&index->locations[message->send_location].sends, message);
            }
            if (receives) {
                fm_vector_push(&index->locations[message->receive_location].receives, message);
            }
        }
    }
    for (uint32_t l = 0; l < trace->location_count; l++) {
        struct fm_location_events *events = &index->locations[l];
        if (events->sends.count > 1) {
            qsort(events->sends.items, events->sends.count, sizeof *events->sends.items,
                  compare_sends);
        }
        if (events->receives.count > 1) {
            qsort(events->receives.items, events->receives.count, sizeof *events->receives.items,
                  compare_receives);
        }
    }
}

static int compare_holds(const void *left, const void *right)
{
    const struct fm_hold_ref *a = left, *b = right;
    if (a->activity != b->activity) {
        return a->activity < b->activity ? -1 : 1;
    }
    const uint64_t first = a->kept->hold.held_from, second = b->kept->hold.held_from;
    return first != second ? (first < second ? -1 : 1) : (a->kept > b->kept) - (a->kept < b->kept);
}

static void index_holds(struct fm_event_index *index)
{
    const fm_kept_holds *holds = &index->detail->holds;
    for (size_t i = 0; i < holds->count; i++) {
        const struct fm_kept_hold *kept = &holds->items[i];
        struct fm_location_events *events = &index->locations[kept->hold.owner];
        struct fm_hold_ref hold = {kept, fm_kept_hold_call(index->trace, kept)};
        if (hold.activity != FM_NONE) {
            fm_vector_push(&events->holds, hold);
        } else {
            fm_vector_push(&events->other_holds, hold);
        }
    }
    for (uint32_t l = 0; l < index->trace->location_count; l++) {
        struct fm_location_events *events = &index->locations[l];
        fm_sort(events->holds.items, events->holds.count, sizeof *events->holds.items,
                compare_holds);
        fm_sort(events->other_holds.items, events->other_holds.count,
                sizeof *events->other_holds.items, compare_holds);
    }
}

void fm_event_index_open(struct fm_event_index *index, const struct fm_detail *detail,
                         uint64_t begin, const bool takes[FM_EVENT_KINDS])
{
    *index = (struct fm_event_index){.detail = detail, .trace = detail->trace, .begin = begin};
    memcpy(index->takes, takes, sizeof index->takes);
    index->locations = fm_allocate(index->trace->location_count, sizeof *index->locations);
    if (takes[FM_EVENT_SEND] || takes[FM_EVENT_RECEIVE]) {
        index_messages(index, takes[FM_EVENT_SEND], takes[FM_EVENT_RECEIVE]);
    }
    if (takes[FM_EVENT_LOCK]) {
        index_holds(index);
    }
    if (takes[FM_EVENT_COLLECTIVE]) {
        fm_collective_index_open(&index->collectives, index->trace);
    }
}

void fm_event_index_close(struct fm_event_index *index)
{
    for (uint32_t l = 0; l < index->trace->location_count; l++) {
        fm_vector_free(&index->locations[l].sends);
        fm_vector_free(&index->locations[l].receives);
        fm_vector_free(&index->locations[l].holds);
        fm_vector_free(&index->locations[l].other_holds);
    }
    fm_free(index->locations);
    fm_collective_index_close(&index->collectives, index->trace);
}

struct fm_event fm_event_of_call(const struct fm_event_index *index, uint32_t location,
                                 uint32_t activity)
{
    return (struct fm_event){
        .kind = FM_OBJECT_CALL,
        .location = location,
        .activity = activity,
        .visit = index->trace->locations[location].visit.items[activity],
    };
}

int64_t fm_event_waited(const struct fm_event_index *index, const struct fm_event *event)
{
    const struct fm_candidate *wait = event->data;
    const struct fm_location *location = &index->trace->locations[event->location];
    return (int64_t)(wait->t - fm_trace_begin(location, wait->activity));
}

struct fm_event fm_event_of_hold(const struct fm_event_index *index,
                                 const struct fm_kept_hold *kept)
{
    const uint32_t owner = kept->hold.owner, activity = fm_kept_hold_call(index->trace, kept);
    const struct fm_location *location = &index->trace->locations[owner];
    return (struct fm_event){
        .kind = FM_OBJECT_LOCK,
        .location = owner,
        .activity = activity,
        .visit = activity != FM_NONE ? location->visit.items[activity]
                                     : fm_visit_between_calls(location, kept->hold.held_from),
        .data = kept,
    };
}

const struct fm_kept_hold *fm_hold_before(const fm_kept_holds *holds,
                                          const struct fm_kept_hold *kept)
{
    return kept > holds->items && fm_kept_hold_same_lock(kept - 1, kept) ? kept - 1 : NULL;
}

static int compare_samples(const void *left, const void *right)
{
    const struct fm_sample_ref *a = left, *b = right;
    if (a->sample->time != b->sample->time) {
        return a->sample->time < b->sample->time ? -1 : 1;
    }
    return a->counter < b->counter ? -1 : a->counter > b->counter;
}

struct fm_sample_ref *fm_samples_of_location(const struct fm_location *location, size_t *count)
{
    FM_VECTOR(struct fm_sample_ref) samples = {0};
    for (size_t s = 0; s < location->counters.count; s++) {
        const struct fm_counter_series *series = &location->counters.items[s];
        for (size_t i = 0; i < series->samples.count; i++) {
            fm_vector_push(&samples,
                           (struct fm_sample_ref){&series->samples.items[i], series->counter});
        }
    }
    if (samples.count > 1) {
        qsort(samples.items, samples.count, sizeof *samples.items, compare_samples);
    }
    *count = samples.count;
    return samples.items;
}

uint32_t fm_visit_between_calls(const struct fm_location *location, uint64_t time)
{
    size_t low = 0, high = location->state_since.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (location->state_since.items[middle] <= time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low == 0 ? FM_NONE : location->state_visit.items[low - 1];
}

const char *fm_thread_event_name(const struct fm_thread_record *record)
{
    const bool is_of_lock =
        record->type == FM_THREAD_LOCK_ACQUIRE || record->type == FM_THREAD_LOCK_RELEASE;
    return is_of_lock ? NULL : fm_thread_record_kind(record); /* holds are events of their own */
}

const char *fm_call_class_name(fm_call_t call)
{
    switch (call) {
    case FM_CALL_BARRIER:
        return "barrier";
    case FM_CALL_ALL_TO_ALL:
        return "all_to_all";
    case FM_CALL_ONE_TO_ALL:
        return "one_to_all";
    case FM_CALL_ALL_TO_ONE:
        return "all_to_one";
    case FM_CALL_SCAN:
        return "scan";
    case FM_CALL_INIT:
        return "init";
    case FM_CALL_FINALIZE:
        return "finalize";
    default:
        return "other";
    }
}

bool fm_event_is_within(const struct fm_event_index *index, const struct fm_event *event,
                        const char *name)
{
    uint32_t callpath = event->visit == FM_NONE ? FM_NONE : fm_event_callpath(index, event);
    while (callpath != FM_NONE) {
        const struct fm_callpath *node = &index->trace->callpaths.items[callpath];
        if (strcmp(index->trace->regions[node->region].name, name) == 0) {
            return true;
        }
        callpath = node->parent;
    }
    return false;
}

uint32_t fm_event_callpath(const struct fm_event_index *index, const struct fm_event *event)
{
    const struct fm_location *location = &index->trace->locations[event->location];
    return event->visit == FM_NONE ? FM_CUBE_NONE : location->profile.items[event->visit].callpath;
}
