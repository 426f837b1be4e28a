/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/scenario.h"

#include <stdlib.h>
#include <string.h>

#define WORLD 0
#define SELF  1

/* Makes room for one more element of `size` bytes. */
static bool reserve(void **elements, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity) {
        return true;
    }
    size_t grown = *capacity == 0 ? 8 : *capacity * 2;
    void *moved = realloc(*elements, grown * size);
    if (moved == NULL) {
        return false;
    }
    *elements = moved;
    *capacity = grown;
    return true;
}

static int compare_ranks(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Adds a communicator whose member lists now belong to the scenario. */
static uint32_t adopt_comm(struct fm_scenario *scenario, const char *name,
                           struct fm_scenario_comm comm)
{
    size_t capacity = scenario->comm_capacity;
    if (!reserve((void **)&scenario->comms, scenario->comm_names.count, &capacity, sizeof comm)) {
        return FM_SCENARIO_NONE;
    }
    scenario->comm_capacity = (uint32_t)capacity;
    uint32_t expected = scenario->comm_names.count;
    uint32_t index = fm_key_table_add(&scenario->comm_names, name, strlen(name));
    if (index != expected) {
        return FM_SCENARIO_NONE;
    }
    scenario->comms[index] = comm;
    return index;
}

struct fm_scenario *fm_scenario_create(const char *name, uint64_t ticks_per_second,
                                       uint32_t rank_count, uint32_t thread_count)
{
    uint64_t locations = (uint64_t)rank_count * thread_count;
    if (locations == 0 || locations > FM_SCENARIO_LOCATION_LIMIT) {
        return NULL;
    }
    struct fm_scenario *scenario = calloc(1, sizeof *scenario);
    if (scenario == NULL) {
        return NULL;
    }
    scenario->ticks_per_second = ticks_per_second;
    scenario->machine = "scenario";
    scenario->rank_count = rank_count;
    scenario->thread_count = thread_count;
    scenario->name = strdup(name);
    scenario->locations = calloc(locations, sizeof *scenario->locations);
    scenario->node_of_rank = calloc(rank_count, sizeof *scenario->node_of_rank);
    scenario->world_of_rank = calloc(rank_count, sizeof *scenario->world_of_rank);
    scenario->processes = calloc(rank_count, sizeof *scenario->processes);
    if (scenario->name == NULL || scenario->locations == NULL || scenario->node_of_rank == NULL ||
        scenario->world_of_rank == NULL || scenario->processes == NULL ||
        fm_key_table_add(&scenario->nodes, "node", strlen("node")) != 0) {
        fm_scenario_free(scenario);
        return NULL;
    }
    scenario->job_end = FM_SCENARIO_NO_TIME;
    for (uint32_t rank = 0; rank < rank_count; rank++) {
        scenario->processes[rank].heartbeat = FM_SCENARIO_NO_TIME;
    }
    struct fm_scenario_comm world = {.size = rank_count, .first_size = rank_count};
    struct fm_scenario_comm self = {.size = 1, .first_size = 1};
    if (adopt_comm(scenario, "world", world) != WORLD ||
        adopt_comm(scenario, "self", self) != SELF) {
        fm_scenario_free(scenario);
        return NULL;
    }
    return scenario;
}

uint32_t fm_scenario_add_comm(struct fm_scenario *scenario, const char *name, const uint32_t *ranks,
                              uint32_t count)
{
    return fm_scenario_add_intercomm(scenario, name, ranks, count, count);
}

uint32_t fm_scenario_add_intercomm(struct fm_scenario *scenario, const char *name,
                                   const uint32_t *ranks, uint32_t count, uint32_t first_count)
{
    size_t size = count * sizeof *ranks;
    struct fm_scenario_comm comm = {.ranks = malloc(size + 1),
                                    .sorted = malloc(size + 1),
                                    .size = count,
                                    .first_size = first_count,
                                    .number = scenario->intercomm_count};
    if (comm.ranks != NULL && comm.sorted != NULL) {
        memcpy(comm.ranks, ranks, size);
        memcpy(comm.sorted, ranks, size);
        qsort(comm.sorted, count, sizeof *ranks, compare_ranks);
        uint32_t index = adopt_comm(scenario, name, comm);
        if (index != FM_SCENARIO_NONE) {
            scenario->intercomm_count += first_count != count;
            return index;
        }
    }
    free(comm.ranks);
    free(comm.sorted);
    return FM_SCENARIO_NONE;
}

uint32_t fm_scenario_add_window(struct fm_scenario *scenario, const char *name, uint32_t comm)
{
    size_t capacity = scenario->window_capacity;
    if (!reserve((void **)&scenario->windows, scenario->window_names.count, &capacity,
                 sizeof *scenario->windows)) {
        return FM_SCENARIO_NONE;
    }
    scenario->window_capacity = (uint32_t)capacity;
    uint32_t expected = scenario->window_names.count;
    uint32_t index = fm_key_table_add(&scenario->window_names, name, strlen(name));
    if (index != expected) {
        return FM_SCENARIO_NONE;
    }
    scenario->windows[index].comm = comm;
    return index;
}

uint32_t fm_scenario_add_team(struct fm_scenario *scenario, const char *name,
                              const uint32_t *locations, uint32_t count)
{
    uint32_t expected = scenario->team_names.count;
    if (!reserve((void **)&scenario->teams, expected, &scenario->team_capacity,
                 sizeof *scenario->teams)) {
        return FM_SCENARIO_NONE;
    }
    size_t size = count * sizeof *locations;
    struct fm_scenario_team team = {.locations = malloc(size + 1), .size = count};
    if (team.locations == NULL ||
        fm_key_table_add(&scenario->team_names, name, strlen(name)) != expected) {
        free(team.locations);
        return FM_SCENARIO_NONE;
    }
    memcpy(team.locations, locations, size);
    scenario->teams[expected] = team;
    return expected;
}

bool fm_scenario_name_object(struct fm_scenario *scenario, uint32_t rank, uint64_t object,
                             const char *name, size_t length)
{
    if (!reserve((void **)&scenario->object_names, scenario->object_name_count,
                 &scenario->object_name_capacity, sizeof *scenario->object_names)) {
        return false;
    }
    char *copy = strndup(name, length);
    if (copy == NULL) {
        return false;
    }
    scenario->object_names[scenario->object_name_count++] =
        (struct fm_scenario_object_name){rank, object, copy};
    return true;
}

bool fm_scenario_add_clock_offset(struct fm_scenario *scenario, uint32_t rank, uint64_t time,
                                  int64_t offset)
{
    if (!reserve((void **)&scenario->clock_offsets, scenario->clock_offset_count,
                 &scenario->clock_offset_capacity, sizeof *scenario->clock_offsets)) {
        return false;
    }
    scenario->clock_offsets[scenario->clock_offset_count++] =
        (struct fm_scenario_clock_offset){rank, time, offset};
    return true;
}

bool fm_scenario_append(struct fm_scenario *scenario, uint32_t location,
                        const struct fm_scenario_event *event)
{
    struct fm_scenario_location *timeline = &scenario->locations[location];
    if (!reserve((void **)&timeline->events, timeline->count, &timeline->capacity,
                 sizeof *timeline->events) ||
        !reserve((void **)&timeline->open_regions, timeline->depth, &timeline->depth_capacity,
                 sizeof *timeline->open_regions)) {
        return false;
    }
    struct fm_scenario_event *copy = &timeline->events[timeline->count++];
    *copy = *event;
    scenario->has_samples |= event->kind == FM_SCENARIO_SAMPLE;
    copy->region =
        timeline->depth > 0 ? timeline->open_regions[timeline->depth - 1] : FM_SCENARIO_NONE;
    if (event->kind == FM_SCENARIO_ENTER) {
        timeline->open_regions[timeline->depth++] = event->object;
    } else if (event->kind == FM_SCENARIO_LEAVE && copy->region == event->object) {
        timeline->depth--;
    }
    return true;
}

bool fm_scenario_expect(struct fm_scenario *scenario,
                        const struct fm_scenario_expectation *expectation)
{
    if (!reserve((void **)&scenario->expectations, scenario->expectation_count,
                 &scenario->expectation_capacity, sizeof *scenario->expectations)) {
        return false;
    }
    scenario->expectations[scenario->expectation_count++] = *expectation;
    return true;
}

bool fm_scenario_comm_has(const struct fm_scenario *scenario, uint32_t comm, uint32_t rank)
{
    const struct fm_scenario_comm *group = &scenario->comms[comm];
    return group->sorted == NULL ||
           bsearch(&rank, group->sorted, group->size, sizeof rank, compare_ranks) != NULL;
}

uint32_t fm_scenario_peers(const struct fm_scenario *scenario, uint32_t comm, uint32_t rank)
{
    const struct fm_scenario_comm *group = &scenario->comms[comm];
    if (group->first_size == group->size) {
        return group->size;
    }
    for (uint32_t i = 0; i < group->first_size; i++) {
        if (group->ranks[i] == rank) {
            return group->size - group->first_size;
        }
    }
    return group->first_size;
}

uint32_t fm_scenario_world_rank(const struct fm_scenario *scenario, uint32_t comm, uint32_t rank,
                                uint32_t observer)
{
    if (comm == SELF) {
        return observer;
    }
    return comm == WORLD ? rank : scenario->comms[comm].ranks[rank];
}

void fm_scenario_free(struct fm_scenario *scenario)
{
    if (scenario == NULL) {
        return;
    }
    for (uint32_t i = 0; scenario->comms != NULL && i < scenario->comm_names.count; i++) {
        free(scenario->comms[i].ranks);
        free(scenario->comms[i].sorted);
    }
    uint64_t locations = (uint64_t)scenario->rank_count * scenario->thread_count;
    for (uint64_t i = 0; scenario->locations != NULL && i < locations; i++) {
        free(scenario->locations[i].events);
        free(scenario->locations[i].open_regions);
        free(scenario->locations[i].name);
    }
    for (uint32_t i = 0; scenario->teams != NULL && i < scenario->team_names.count; i++) {
        free(scenario->teams[i].locations);
    }
    for (size_t i = 0; i < scenario->object_name_count; i++) {
        free(scenario->object_names[i].name);
    }
    for (size_t i = 0; i < scenario->expectation_count; i++) {
        free(scenario->expectations[i].metric);
        free(scenario->expectations[i].callpath);
    }
    fm_key_table_clear(&scenario->regions);
    fm_key_table_clear(&scenario->comm_names);
    fm_key_table_clear(&scenario->window_names);
    fm_key_table_clear(&scenario->team_names);
    fm_key_table_clear(&scenario->parameters);
    fm_key_table_clear(&scenario->texts);
    fm_key_table_clear(&scenario->phases);
    fm_key_table_clear(&scenario->options);
    fm_key_table_clear(&scenario->predictions);
    fm_key_table_clear(&scenario->groups);
    fm_key_table_clear(&scenario->nodes);
    free(scenario->node_of_rank);
    free(scenario->world_of_rank);
    free(scenario->processes);
    free(scenario->comms);
    free(scenario->windows);
    free(scenario->teams);
    free(scenario->object_names);
    free(scenario->clock_offsets);
    free(scenario->locations);
    free(scenario->expectations);
    free(scenario->name);
    free(scenario);
}
