#include "patterns/event_index.h"

#include "base/memory.h"

#include <stdlib.h>

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

void fm_event_index_open(struct fm_event_index *index, const struct fm_detail *detail,
                         uint64_t begin, const bool takes[FM_EVENT_KINDS])
{
    *index = (struct fm_event_index){.detail = detail, .trace = detail->trace, .begin = begin};
    index->locations = fm_allocate(index->trace->location_count, sizeof *index->locations);
    if (takes[FM_EVENT_SEND] || takes[FM_EVENT_RECEIVE]) {
        index_messages(index, takes[FM_EVENT_SEND], takes[FM_EVENT_RECEIVE]);
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

uint32_t fm_event_callpath(const struct fm_event_index *index, const struct fm_event *event)
{
    const struct fm_location *location = &index->trace->locations[event->location];
    return event->visit == FM_NONE ? FM_CUBE_NONE : location->profile.items[event->visit].callpath;
}
