/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/tables/trace_internal.h"

#include "trace/archive/anchor.h"

#include <pthread.h>
#include <string.h>

static void free_records(struct fm_location *location)
{
    fm_vector_free(&location->sends);
    fm_vector_free(&location->receives);
    fm_vector_free(&location->matched);
    fm_vector_free(&location->collectives);
    fm_vector_free(&location->rma);
    fm_vector_free(&location->operation_bytes);
    fm_vector_free(&location->threads);
    fm_vector_free(&location->partitioned);
    fm_vector_free(&location->partitions);
    fm_vector_free(&location->probes);
}

void fm_trace_forget_records(struct fm_trace *trace, uint32_t first, uint32_t last)
{
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        free_records(&trace->locations[l]);
    }
}

void fm_trace_forget_rma(struct fm_trace *trace, uint32_t process)
{
    const struct fm_process *owner = &trace->processes[process];
    for (uint32_t t = 0; t < owner->location_count; ++t) {
        fm_vector_free(&trace->locations[owner->first_location + t].rma);
    }
}

void fm_trace_forget_messages(struct fm_trace *trace, uint32_t process)
{
    const struct fm_process *owner = &trace->processes[process];
    for (uint32_t t = 0; t < owner->location_count; ++t) {
        struct fm_location *location = &trace->locations[owner->first_location + t];
        fm_vector_free(&location->sends);
        fm_vector_free(&location->receives);
        fm_vector_free(&location->matched);
    }
}

void fm_location_free(struct fm_location *location)
{
    fm_free(location->name);
    fm_vector_free(&location->enter);
    fm_vector_free(&location->leave);
    fm_vector_free(&location->visit);
    fm_vector_free(&location->state_since);
    fm_vector_free(&location->state_visit);
    fm_vector_free(&location->profile);
    fm_vector_free(&location->counts);
    free_records(location);
    fm_vector_free(&location->continuations);
    fm_vector_free(&location->nested);
    fm_vector_free(&location->readings);
    fm_vector_free(&location->loops);
    fm_vector_free(&location->loop_flushes);
    fm_vector_free(&location->merged);
    fm_vector_free(&location->unrecorded);
    fm_vector_free(&location->pauses);
    fm_vector_free(&location->phases);
    fm_vector_free(&location->traffic);
    fm_counters_free(&location->counters);
    fm_vector_free(&location->growth);
    fm_vector_free(&location->open);
    fm_vector_free(&location->open_waits);
    fm_estimates_free(&location->estimates);
}

static void free_communicator(struct fm_communicator *communicator)
{
    fm_free(communicator->name);
    fm_free(communicator->members);
    if (communicator->topology != NULL) {
        fm_free(communicator->topology->sizes);
        fm_free(communicator->topology->periodic);
        fm_free(communicator->topology->coordinates);
        fm_free(communicator->topology->name);
        for (unsigned d = 0; d < communicator->topology->dimension_count; ++d) {
            fm_free(communicator->topology->dimension_names[d]);
        }
        fm_free(communicator->topology->dimension_names);
        fm_free(communicator->topology);
    }
}

void fm_trace_free(struct fm_trace *trace)
{
    if (trace == NULL) {
        return;
    }
    for (uint32_t i = 0; i < trace->region_count; ++i) {
        fm_free(trace->regions[i].name);
        fm_free(trace->regions[i].file);
    }
    for (uint32_t i = 0; i < trace->process_count; ++i) {
        fm_free(trace->processes[i].name);
        fm_free(trace->processes[i].node);
    }
    for (uint32_t i = 0; i < trace->location_count; ++i) {
        fm_location_free(&trace->locations[i]);
    }
    for (uint32_t i = 0; i < trace->communicator_count; ++i) {
        free_communicator(&trace->communicators[i]);
    }
    for (uint32_t i = 0; i < trace->window_count; ++i) {
        fm_free(trace->windows[i].name);
    }
    for (uint32_t i = 0; i < trace->group_count; ++i) {
        fm_free(trace->groups[i].processes);
    }
    for (uint32_t i = 0; i < trace->line_count; ++i) {
        fm_free(trace->lines[i].file);
    }
    for (uint32_t i = 0; i < trace->counter_count; ++i) {
        fm_free(trace->counters[i].name);
        fm_free(trace->counters[i].unit);
    }
    fm_free(trace->counters);
    fm_free(trace->regions);
    fm_free(trace->lines);
    fm_free(trace->processes);
    fm_free(trace->locations);
    fm_free(trace->process_of);
    fm_free(trace->communicators);
    fm_free(trace->windows);
    for (uint32_t i = 0; i < trace->object_name_count; i++) {
        fm_free(trace->object_names[i].name);
    }
    fm_free(trace->object_names);
    fm_free(trace->metric_location);
    fm_free(trace->groups);
    fm_free(trace->anchor);
    fm_free(trace->creator);
    fm_free(trace->machine);
    fm_free(trace->program);
    fm_vector_free(&trace->callpaths);
    struct fm_trace_private *private = fm_trace_private(trace);
    fm_references_free(&private->regions);
    fm_references_free(&private->communicators);
    fm_references_free(&private->windows);
    fm_references_free(&private->attributes);
    fm_references_free(&private->groups);
    fm_references_free(&private->strings);
    fm_references_free(&private->lines);
    fm_references_free(&private->parameters);
    fm_references_free(&private->metrics);
    fm_references_free(&private->counter_numbers);
    fm_vector_free(&private->sets);
    fm_vector_free(&private->set_members);
    fm_references_free(&private->context_numbers);
    fm_references_free(&private->generator_numbers);
    fm_vector_free(&private->contexts);
    fm_vector_free(&private->generators);
    for (size_t i = 0; i < private->text.count; ++i) {
        fm_free(private->text.items[i]);
    }
    fm_vector_free(&private->text);
    fm_free(private);
}

void fm_trace_unify(struct fm_trace *trace)
{
    struct fm_callpaths forest = {0};
    for (uint32_t i = 0; i < trace->location_count; ++i) {
        struct fm_location *location = &trace->locations[i];
        for (size_t v = 0; v < location->profile.count; ++v) {
            struct fm_visit_profile *visit = &location->profile.items[v];
            uint32_t parent = visit->parent == FM_NONE
                                  ? FM_NONE
                                  : location->profile.items[visit->parent].callpath;
            visit->callpath =
                fm_callpaths_add(&forest, &(struct fm_callpath){visit->value, parent, visit->region,
                                                                visit->line, visit->kind});
        }
    }
    fm_visits_fold(trace, forest.nodes.count);
    for (size_t i = 0; i < forest.nodes.count; ++i) {
        fm_vector_push(&trace->callpaths, forest.nodes.items[i]);
    }
    fm_callpaths_free(&forest);
}

void fm_trace_adopt_callpaths(struct fm_trace *trace, struct fm_callpaths *callpaths)
{
    uint32_t *number = fm_allocate(trace->callpaths.count, sizeof *number);
    fm_callpaths_add_forest(callpaths, trace->callpaths.items, trace->callpaths.count, number);
    for (uint32_t i = 0; i < trace->location_count; ++i) {
        struct fm_location *location = &trace->locations[i];
        for (size_t v = 0; v < location->profile.count; ++v) {
            location->profile.items[v].callpath = number[location->profile.items[v].callpath];
        }
    }
    fm_visits_fold(trace, callpaths->nodes.count);
    trace->callpaths.count = 0;
    for (size_t i = 0; i < callpaths->nodes.count; ++i) {
        fm_vector_push(&trace->callpaths, callpaths->nodes.items[i]);
    }
    fm_free(number);
}

struct fm_program_name fm_trace_program_name(const struct fm_trace *trace)
{
    return ((const struct fm_trace_private *)trace)->program_name;
}

void fm_trace_name_program(struct fm_trace *trace, struct fm_program_name name)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct fm_trace_private *private = fm_trace_private(trace);
    pthread_mutex_lock(&lock);
    if (name.process < private->program_name.process) {
        const char *text = private->text.items[name.text];
        const char *slash = strrchr(text, '/');
        struct fm_region *region = &trace->regions[private->program_region];
        private->program_name = name;
        fm_free(trace->program);
        trace->program = fm_copy_string(slash == NULL ? text : slash + 1);
        fm_free(region->name);
        region->name = fm_copy_string(trace->program);
    }
    pthread_mutex_unlock(&lock);
}

const struct fm_polling_loop *fm_trace_loop(const struct fm_location *location, uint32_t activity)
{
    size_t first = 0, end = location->loops.count;
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (location->loops.items[middle].last < activity) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return first < location->loops.count && location->loops.items[first].last == activity
               ? &location->loops.items[first]
               : NULL;
}

bool fm_location_calls(const struct fm_trace *trace, const struct fm_location *location,
                       fm_call_t call)
{
    for (size_t v = 0; v < location->profile.count; v++) {
        if (trace->regions[location->profile.items[v].region].call == call) {
            return true;
        }
    }
    return false;
}

uint32_t fm_trace_entered(const struct fm_location *location, uint64_t time)
{
    uint32_t low = 0, high = (uint32_t)location->enter.count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (location->enter.items[middle] <= time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

uint32_t fm_trace_member_seen(const struct fm_trace *trace, uint32_t communicator, uint32_t rank,
                              uint32_t process)
{
    const struct fm_communicator *c = &trace->communicators[communicator];
    if (c->is_self) {
        return rank == 0 ? process : FM_NONE;
    }
    /* In an inter-communicator, ranks are those of the other group. */
    uint32_t own = fm_trace_rank(trace, communicator, process);
    bool in_first = own < c->first_group_size;
    uint32_t first = in_first ? c->first_group_size : 0;
    uint32_t size = in_first ? c->size - c->first_group_size : c->first_group_size;
    return rank < size ? c->members[first + rank] : FM_NONE;
}

bool fm_trace_is_own(const struct fm_trace *trace)
{
    return fm_anchor_is_own(trace->creator);
}

uint32_t fm_trace_post(const struct fm_trace *trace, uint32_t *location_number, uint32_t receive)
{
    const struct fm_location *location = &trace->locations[*location_number];
    const struct fm_message_end *end = &location->receives.items[receive];
    if (!location->has_matched_probes ||
        fm_trace_called(trace, location, end->start)->call != FM_CALL_MATCHED_PROBE) {
        return end->start;
    }
    const struct fm_location *completing = &trace->locations[end->complete_location];
    if (fm_trace_called(trace, completing, end->complete)->call == FM_CALL_MATCHED_RECEIVE) {
        *location_number = end->complete_location;
        return end->complete;
    }
    size_t low = 0, high = location->matched.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (location->matched.items[middle].receive < receive) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < location->matched.count && location->matched.items[low].receive == receive;
    return found ? location->matched.items[low].post : end->start;
}

uint32_t fm_trace_rank(const struct fm_trace *trace, uint32_t communicator, uint32_t process)
{
    const struct fm_communicator *c = &trace->communicators[communicator];
    if (c->is_self) {
        return 0;
    }
    if (process < c->size && c->members[process] == process) {
        return process;
    }
    /* Members mostly ascend: bisect, and look at all of them only if that fails. */
    uint32_t low = 0, high = c->size;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (c->members[middle] < process) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low < c->size && c->members[low] == process) {
        return low;
    }
    for (uint32_t rank = 0; rank < c->size; ++rank) {
        if (c->members[rank] == process) {
            return rank;
        }
    }
    return FM_NONE;
}

const char *fm_trace_object_name(const struct fm_trace *trace, uint32_t process, uint32_t object)
{
    uint32_t low = 0, high = trace->object_name_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct fm_object_name *at = &trace->object_names[middle];
        if (at->process < process || (at->process == process && at->object < object)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const struct fm_object_name *found = &trace->object_names[low];
    return low < trace->object_name_count && found->process == process && found->object == object
               ? found->name
               : NULL;
}
