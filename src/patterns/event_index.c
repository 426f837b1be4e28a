#include "patterns/event_index.h"

#include "analysis/collective/collective_walk.h"
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

static int compare_parts(const void *left, const void *right)
{
    const struct fm_collective_part *a = left, *b = right;
    if (a->activity != b->activity) {
        return a->activity < b->activity ? -1 : 1;
    }
    return a->instance < b->instance ? -1 : a->instance > b->instance;
}

static void add_member(struct fm_event_index *index, struct fm_map *numbers,
                       const struct fm_member *member)
{
    const uint64_t key = ((uint64_t)member->series << 24 | member->scope) << 32 | member->ordinal;
    if (member->scope >> 24 != 0) {
        return; /* no key */
    }
    uint32_t next = (uint32_t)index->instances.count;
    uint32_t number = *fm_map_at(numbers, key, next);
    if (number == next) {
        fm_vector_push(&index->instances, (struct fm_collective_instance){
                                              .first_enter = member->enter,
                                              .last_enter = member->enter,
                                              .first_leave = member->leave,
                                              .last_location = member->start_location,
                                              .communicator = member->communicator,
                                              .call = member->call,
                                          });
    }
    struct fm_collective_instance *instance = &index->instances.items[number];
    instance->members++;
    instance->is_mixed = instance->is_mixed || instance->call != member->call;
    if (member->enter < instance->first_enter) {
        instance->first_enter = member->enter;
    }
    if (member->leave < instance->first_leave) {
        instance->first_leave = member->leave;
    }
    if (member->enter > instance->last_enter) {
        instance->last_enter = member->enter;
        instance->last_location = member->start_location;
    }
    fm_vector_push(&index->locations[member->start_location].collectives,
                   (struct fm_collective_part){member->start_activity, number});
}

static void index_collectives(struct fm_event_index *index)
{
    const struct fm_trace *trace = index->trace;
    struct fm_map numbers = {0};
    struct fm_collective_walk walk = {0};
    for (uint32_t p = 0; p < trace->process_count; p++) {
        struct fm_member member;
        fm_collective_walk_begin(&walk, trace, p);
        while (fm_collective_walk_next(&walk, &member)) {
            add_member(index, &numbers, &member);
        }
    }
    fm_collective_walk_free(&walk);
    fm_map_free(&numbers);
    for (uint32_t l = 0; l < trace->location_count; l++) {
        struct fm_location_events *events = &index->locations[l];
        if (events->collectives.count > 1) {
            qsort(events->collectives.items, events->collectives.count,
                  sizeof *events->collectives.items, compare_parts);
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
        index_collectives(index);
    }
}

void fm_event_index_close(struct fm_event_index *index)
{
    for (uint32_t l = 0; l < index->trace->location_count; l++) {
        fm_vector_free(&index->locations[l].sends);
        fm_vector_free(&index->locations[l].receives);
        fm_vector_free(&index->locations[l].collectives);
    }
    fm_free(index->locations);
    fm_vector_free(&index->instances);
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
