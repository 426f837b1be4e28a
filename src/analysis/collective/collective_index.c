/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/collective/collective_index.h"

#include "analysis/collective/collective_walk.h"
#include "base/containers/sort.h"
#include "base/memory.h"

static int compare_parts(const void *left, const void *right)
{
    const struct fm_collective_part *a = left, *b = right;
    if (a->activity != b->activity) {
        return a->activity < b->activity ? -1 : 1;
    }
    return a->instance < b->instance ? -1 : a->instance > b->instance;
}

static void add_member(struct fm_collective_index *index, struct fm_map *numbers,
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
                                              .last_activity = member->start_activity,
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
        instance->last_activity = member->start_activity;
    }
    fm_vector_push(&index->parts[member->start_location],
                   (struct fm_collective_part){member->start_activity, number});
}

void fm_collective_index_open(struct fm_collective_index *index, const struct fm_trace *trace)
{
    *index = (struct fm_collective_index){
        .parts = fm_allocate(trace->location_count, sizeof *index->parts),
    };
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
        fm_sort(index->parts[l].items, index->parts[l].count, sizeof *index->parts[l].items,
                compare_parts);
    }
}

void fm_collective_index_close(struct fm_collective_index *index, const struct fm_trace *trace)
{
    for (uint32_t l = 0; index->parts != NULL && l < trace->location_count; l++) {
        fm_vector_free(&index->parts[l]);
    }
    fm_free(index->parts);
    fm_vector_free(&index->instances);
}
