/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/read/calling_contexts.h"

void fm_event_contexts_begin(struct fm_event_sink *sink)
{
    sink->open_contexts.count = 0;
    sink->context_time = 0;
}

static const struct fm_calling_context *context_at(const struct fm_event_sink *sink, uint32_t index)
{
    return &sink->references->contexts.items[index];
}

/* @return FM_NONE, and notes a defect: the context or its function is not defined */
static uint32_t find_context(struct fm_event_sink *sink, uint32_t reference)
{
    const uint32_t found =
        fm_references_find(&sink->references->context_numbers,
                           fm_location_map(sink->maps, FM_MAP_CONTEXTS, reference));
    if (found == FM_NONE || context_at(sink, found)->region == FM_NONE) {
        ++sink->builder.defects->unusable_records;
        return FM_NONE;
    }
    return found;
}

/* Makes the list of the nodes from the root to a node, without those of undefined functions. */
static void find_path(struct fm_event_sink *sink, uint32_t context)
{
    sink->next_contexts.count = 0;
    for (uint32_t c = context; c != FM_NONE; c = context_at(sink, c)->parent) {
        if (context_at(sink, c)->region != FM_NONE) {
            fm_vector_push(&sink->next_contexts, c);
        }
    }
    uint32_t *nodes = sink->next_contexts.items;
    for (size_t i = 0, last = sink->next_contexts.count; i + 1 < last; i++) {
        const uint32_t node = nodes[i];
        nodes[i] = nodes[--last];
        nodes[last] = node;
    }
}

/* @return how many outer functions of the open call stack are in the new one; nodes of one function
 * differ if its code has moved on to another line */
static size_t count_common(const struct fm_event_sink *sink)
{
    size_t count = 0;
    while (count < sink->open_contexts.count && count < sink->next_contexts.count &&
           context_at(sink, sink->open_contexts.items[count])->region ==
               context_at(sink, sink->next_contexts.items[count])->region) {
        count++;
    }
    return count;
}

/* Leaves the open functions but the outer `kept` ones at the last event, before which they ended.
 */
static void leave_inner(struct fm_event_sink *sink, size_t kept)
{
    struct fm_builder *builder = &sink->builder;
    const uint64_t now = builder->now;
    builder->now = sink->context_time < now ? sink->context_time : now;
    while (sink->open_contexts.count > kept) {
        const uint32_t left = sink->open_contexts.items[--sink->open_contexts.count];
        fm_builder_leave(builder, context_at(sink, left)->region);
    }
    builder->now = now;
}

/* Makes the open call stack the new one.
 * @param begun  time at which new functions begin */
static void move(struct fm_event_sink *sink, uint32_t distance, uint64_t begun)
{
    struct fm_builder *builder = &sink->builder;
    const size_t length = sink->next_contexts.count;
    const size_t known = distance <= 1           ? length
                         : distance - 1 < length ? length - (distance - 1)
                                                 : 0;
    const size_t common = count_common(sink), kept = common < known ? common : known;
    leave_inner(sink, kept);
    const uint64_t now = builder->now;
    builder->now = begun < now ? begun : now;
    for (size_t i = 0; i < length; i++) {
        const uint32_t context = sink->next_contexts.items[i];
        if (i >= kept) {
            fm_builder_site(builder, context);
            fm_builder_enter(builder, context_at(sink, context)->region);
            fm_vector_push(&sink->open_contexts, context);
        } else {
            sink->open_contexts.items[i] = context;
        }
    }
    builder->now = now;
}

/* Calls are recorded as such: what a sample finds inside them is their own. */
static bool is_in_call(const struct fm_event_sink *sink)
{
    const size_t count = sink->open_contexts.count;
    const uint32_t region =
        count == 0 ? FM_NONE : context_at(sink, sink->open_contexts.items[count - 1])->region;
    return region != FM_NONE && sink->builder.trace->regions[region].call != FM_CALL_USER;
}

void fm_event_context_enter(struct fm_event_sink *sink, uint32_t context, uint32_t distance)
{
    const uint32_t entered = find_context(sink, context);
    if (entered != FM_NONE) {
        find_path(sink, entered);
        move(sink, distance < 2 ? 2 : distance, sink->builder.now);
        sink->context_time = sink->builder.now;
    }
}

void fm_event_context_leave(struct fm_event_sink *sink, uint32_t context)
{
    const uint32_t left = find_context(sink, context);
    if (left == FM_NONE) {
        return;
    }
    find_path(sink, left);
    const size_t length = sink->next_contexts.count;
    if (count_common(sink) < length) {
        ++sink->builder.defects->unmatched_leaves;
        return;
    }
    leave_inner(sink, length);
    fm_builder_leave(&sink->builder, context_at(sink, left)->region);
    sink->open_contexts.count = length - 1;
    sink->context_time = sink->builder.now;
}

void fm_event_context_sample(struct fm_event_sink *sink, uint32_t context, uint32_t distance,
                             uint32_t generator)
{
    const uint32_t sampled = find_context(sink, context);
    const uint32_t interrupts =
        fm_references_find(&sink->references->generator_numbers,
                           fm_location_map(sink->maps, FM_MAP_GENERATORS, generator));
    if (sampled == FM_NONE || is_in_call(sink)) {
        return;
    }
    find_path(sink, sampled);
    move(sink, distance, sink->context_time);
    if (interrupts != FM_NONE && sink->references->generators.items[interrupts] > 0) {
        fm_builder_counter(&sink->builder, FM_COUNTER_OF_SAMPLES,
                           sink->references->generators.items[interrupts]);
    }
    sink->context_time = sink->builder.now;
}
