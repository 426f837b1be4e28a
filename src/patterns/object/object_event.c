/* SPDX-License-Identifier: BSD-3-Clause */
/* Events as shared objects see them. */
#include "analysis/locks/kept_holds.h"
#include "base/memory.h"
#include "patterns/object/object_execution.h"

#include <string.h>

_Static_assert(sizeof(struct fm_event) <= sizeof((fermata_event_t *)NULL)->reserved,
               "an event has room for the one that it is made of");

struct fm_event fm_object_private_event(const fermata_event_t *public)
{
    struct fm_event event;
    memcpy(&event, public->reserved, sizeof event);
    return event;
}

static int public_kind(fm_object_kind_t kind)
{
    static const int kinds[] = {
        [FM_OBJECT_CALL] = FERMATA_EVENT_CALL,
        [FM_OBJECT_SEND] = FERMATA_EVENT_SEND,
        [FM_OBJECT_RECEIVE] = FERMATA_EVENT_RECEIVE,
        [FM_OBJECT_COLLECTIVE] = FERMATA_EVENT_COLLECTIVE,
        [FM_OBJECT_PHASE] = FERMATA_EVENT_PHASE,
        [FM_OBJECT_SAMPLE] = FERMATA_EVENT_SAMPLE,
        [FM_OBJECT_WAIT] = FERMATA_EVENT_WAIT,
        [FM_OBJECT_OPERATION] = FERMATA_EVENT_OPERATION,
        [FM_OBJECT_LOCK] = FERMATA_EVENT_LOCK,
        [FM_OBJECT_THREAD] = FERMATA_EVENT_THREAD,
        [FM_OBJECT_REPORT] = FERMATA_EVENT_INSTANCE,
    };
    return kinds[kind];
}

static int64_t ticks(const struct fm_event_index *index, uint64_t time)
{
    return (int64_t)(time - index->begin);
}

static void fill_message(const struct fm_event_index *index, const struct fm_event *event,
                         fermata_event_t *public)
{
    const struct fm_detail_message *message = event->data;
    uint32_t post_location = message->record_location;
    const struct fm_message_end *record =
        &index->trace->locations[post_location].receives.items[message->record_row];
    const uint32_t post = fm_trace_post(index->trace, &post_location, message->record_row);
    const bool sends = event->kind == FM_OBJECT_SEND;
    public->bytes = message->bytes;
    public->tag = record->tag;
    public->communicator = (int)record->communicator;
    public->peer = (int)fm_trace_process(index->trace, sends ? message->receive_location
                                                             : message->send_location);
    public->posted = ticks(index, index->trace->locations[post_location].enter.items[post]);
}

static void fill_collective(const struct fm_event_index *index, const struct fm_event *event,
                            fermata_event_t *public)
{
    const struct fm_collective_part *part = event->data;
    const struct fm_collective_instance *instance =
        &index->collectives.instances.items[part->instance];
    public->communicator = (int)instance->communicator;
    public->members = (int)instance->members;
    public->first_enter = ticks(index, instance->first_enter);
    public->last_enter = ticks(index, instance->last_enter);
    public->first_leave = ticks(index, instance->first_leave);
    public->last_rank = (int)fm_trace_process(index->trace, instance->last_location);
}

static void fill_operation(const struct fm_event_index *index, const struct fm_event *event,
                           fermata_event_t *public)
{
    const struct fm_operation_ref *operation = event->data;
    const struct fm_trace *trace = index->trace;
    const uint32_t peer =
        fm_trace_member(trace, trace->windows[operation->record->window].communicator,
                        operation->record->peer, fm_trace_process(trace, event->location));
    public->action = fm_rma_kind(operation->record);
    public->bytes = (int64_t)operation->bytes;
    public->peer = peer == FM_NONE ? -1 : (int)peer;
}

static void fill_lock(struct fm_object_execution *execution, const struct fm_event *event,
                      fermata_event_t *public)
{
    const struct fm_event_index *index = execution->base.index;
    const struct fm_kept_hold *kept = event->data;
    char name[FM_LOCK_NAME_SIZE];
    fm_kept_hold_name(index->trace, kept, name);
    char *copy = fm_copy_string(name);
    fm_vector_push(&execution->texts, copy);
    public->lock = copy;
    public->requested = ticks(index, kept->hold.requested);
    public->acquired = ticks(index, kept->hold.held_from);
    public->released = ticks(index, kept->hold.released);
    public->waited = (int64_t)(kept->hold.queued_until - kept->hold.queued_from);
    public->exclusive = kept->hold.exclusive;
}

static void fill_thread(const struct fm_event_index *index, const struct fm_event *event,
                        fermata_event_t *public)
{
    const struct fm_thread_record *record = event->data;
    public->time = ticks(index, record->time);
    public->action = fm_thread_event_name(record);
    public->id = (int64_t)record->id;
}

static void fill_wait(const struct fm_event_index *index, const struct fm_event *event,
                      fermata_event_t *public)
{
    const struct fm_candidate *wait = event->data;
    public->metric = fm_metric_info((fm_metric_t)wait->metric)->id;
    public->waited = fm_event_waited(index, event);
    public->own = event->value;
}

static void fill_sample(const struct fm_event_index *index, const struct fm_event *event,
                        fermata_event_t *public)
{
    const struct fm_sample_ref *sample = event->data;
    const struct fm_counter *counter = &index->trace->counters[sample->counter];
    public->time = ticks(index, sample->sample->time);
    public->counter = counter->name;
    public->unit = counter->unit;
    public->sample = sample->sample->value;
}

/* Place and times, which all kinds have. */
static void fill_place(const struct fm_event_index *index, const struct fm_event *event,
                       fermata_event_t *public)
{
    const struct fm_location *location = &index->trace->locations[event->location];
    public->rank = (int)location->process;
    public->thread = (int)location->thread;
    public->number = -1;
    if (event->visit != FM_NONE && event->kind != FM_OBJECT_SAMPLE) {
        const struct fm_region *region =
            &index->trace->regions[location->profile.items[event->visit].region];
        public->region = region->name;
        public->call_class = event->activity == FM_NONE ? NULL : fm_call_class_name(region->call);
    }
    if (event->kind == FM_OBJECT_PHASE) {
        const struct fm_phase *phase = event->data;
        public->is_timed = 1;
        public->enter = ticks(index, phase->begin);
        public->leave = ticks(index, phase->end);
    } else if (event->activity != FM_NONE) {
        public->is_timed = 1;
        public->number = event->activity;
        public->enter = ticks(index, location->enter.items[event->activity]);
        public->leave = ticks(index, location->leave.items[event->activity]);
    }
}

void fm_object_event(struct fm_object_execution *execution, const struct fm_event *event,
                     fermata_event_t *public)
{
    const struct fm_event_index *index = execution->base.index;
    *public = (fermata_event_t){.kind = public_kind(event->kind)};
    memcpy(public->reserved, event, sizeof *event);
    fill_place(index, event, public);
    switch (event->kind) {
    case FM_OBJECT_SEND:
    case FM_OBJECT_RECEIVE:
        fill_message(index, event, public);
        break;
    case FM_OBJECT_COLLECTIVE:
        fill_collective(index, event, public);
        break;
    case FM_OBJECT_OPERATION:
        fill_operation(index, event, public);
        break;
    case FM_OBJECT_LOCK:
        fill_lock(execution, event, public);
        break;
    case FM_OBJECT_THREAD:
        fill_thread(index, event, public);
        break;
    case FM_OBJECT_WAIT:
        fill_wait(index, event, public);
        break;
    case FM_OBJECT_SAMPLE:
        fill_sample(index, event, public);
        break;
    case FM_OBJECT_REPORT:
        public
        ->value = event->value;
        break;
    default: /* a call, a phase */
        break;
    }
}

/* The call at the other end of a message. */
static struct fm_event partner_of(const struct fm_event_index *index, const struct fm_event *event)
{
    const struct fm_detail_message *message = event->data;
    return event->kind == FM_OBJECT_SEND
               ? fm_event_of_call(index, message->receive_location, message->receive_activity)
               : fm_event_of_call(index, message->send_location, message->send_activity);
}

static bool find_hold(const struct fm_event_index *index, const struct fm_event *event, int which,
                      struct fm_event *found)
{
    const fm_kept_holds *holds = &index->detail->holds;
    const struct fm_kept_hold *kept = event->data, *other = NULL;
    if (which == FERMATA_BEFORE) {
        other = fm_hold_before(holds, kept);
    } else if (kept->hold.blocked_by != FM_NONE) {
        other = &holds->items[kept->hold.blocked_by];
    }
    if (other != NULL) {
        *found = fm_event_of_hold(index, other);
    }
    return other != NULL;
}

bool fm_object_related(const struct fm_event_index *index, const struct fm_event *event, int which,
                       struct fm_event *found)
{
    const bool is_message = event->kind == FM_OBJECT_SEND || event->kind == FM_OBJECT_RECEIVE;
    const struct fm_candidate *wait = event->kind == FM_OBJECT_WAIT ? event->data : NULL;
    if (which == FERMATA_THE_CALL && event->activity != FM_NONE) {
        *found = fm_event_of_call(index, event->location, event->activity);
    } else if (which == FERMATA_PREVIOUS && event->activity != FM_NONE && event->activity > 0) {
        *found = fm_event_of_call(index, event->location, event->activity - 1);
    } else if (which == FERMATA_PARTNER && is_message) {
        *found = partner_of(index, event);
    } else if (which == FERMATA_CAUSE && wait != NULL && wait->cause_activity != FM_NONE) {
        *found = fm_event_of_call(index, wait->cause_location, wait->cause_activity);
    } else if ((which == FERMATA_BEFORE || which == FERMATA_BLOCKED_BY) &&
               event->kind == FM_OBJECT_LOCK) {
        return find_hold(index, event, which, found);
    } else {
        return false;
    }
    return true;
}
