/* SPDX-License-Identifier: BSD-3-Clause */
#include "import/kineto/kineto_archive.h"

#include "import/kineto/kernel_name.h"
#include "import/kineto/kineto_collectives.h"
#include "import/kineto/kineto_ranks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICKS_PER_SECOND 1000000000
#define STEP             "ProfilerStep"

/* The making of an archive. */
struct making {
    struct fm_kineto_job *job;
    struct fm_scenario *scenario;
    struct fm_kineto_rank *ranks; /* as the traces */
    fm_kineto_part_vector parts;  /* in collectives */
    uint32_t most_threads;
    uint32_t correlation, stream, event, window; /* numbers of parameters, and a window */
    bool is_hip, has_memory;
    bool has_steps;
    int64_t first_step;
};

static uint32_t location_of(const struct making *making, uint32_t rank, bool is_stream,
                            uint32_t place)
{
    return rank * making->scenario->thread_count + (is_stream ? making->most_threads : 0) + place;
}

static uint32_t region(struct making *making, const char *name)
{
    const uint32_t index = fm_key_table_add(&making->scenario->regions, name, strlen(name));
    making->has_memory = making->has_memory && index != FM_KEY_NONE;
    return index;
}

static void append(struct making *making, uint32_t location, struct fm_scenario_event event)
{
    making->has_memory =
        making->has_memory && fm_scenario_append(making->scenario, location, &event);
}

static void append_number(struct making *making, uint32_t location, uint64_t time,
                          uint32_t parameter, uint64_t number)
{
    append(making, location,
           (struct fm_scenario_event){.kind = FM_SCENARIO_PARAMETER_UNSIGNED,
                                      .time = time,
                                      .object = parameter,
                                      .id = number});
}

/* ---- threads ---- */

/* A step is an instance of a phase, whose name is without its number. */
static const char *host_name(struct making *making, const char *name)
{
    if (strncmp(name, STEP "#", strlen(STEP "#")) != 0) {
        return name;
    }
    const int64_t number = strtoll(name + strlen(STEP "#"), NULL, 10);
    if (!making->has_steps || number < making->first_step) {
        making->first_step = number;
    }
    making->has_steps = true;
    making->has_memory = making->has_memory && fm_key_table_add(&making->scenario->phases, STEP,
                                                                strlen(STEP)) != FM_KEY_NONE;
    return STEP;
}

/* @return the id of the location of a stream in the archive; UINT64_MAX: there is none */
static uint64_t stream_id(const struct making *making, uint32_t rank, int64_t device,
                          int64_t stream)
{
    const uint32_t place = fm_kineto_stream_place(&making->ranks[rank], device, stream);
    return place == FM_KINETO_NONE ? UINT64_MAX
                                   : rank | (uint64_t)(making->most_threads + place) << 32;
}

/* What a call launches, waits for, or records. */
static void append_call_records(struct making *making, uint32_t rank, uint32_t location,
                                const struct fm_kineto_event *call, uint64_t time)
{
    const struct fm_kineto_rank *of = &making->ranks[rank];
    if (call->correlation == 0) {
        return;
    }
    if (fm_map_get(&of->works, call->correlation) != FM_MAP_ABSENT) {
        append_number(making, location, time, making->correlation, call->correlation);
    }
    const uint32_t recorded = fm_map_get(&of->record_of, call->correlation);
    const uint32_t waits = fm_map_get(&of->sync_of, call->correlation);
    if (recorded != FM_MAP_ABSENT) {
        const struct fm_kineto_sync *sync = &of->trace->syncs.items[recorded - 1];
        const uint64_t id = stream_id(making, rank, sync->device, sync->record_stream);
        if (id != UINT64_MAX) {
            append_number(making, location, time, making->stream, id);
            append_number(making, location, time, making->event, call->correlation);
        }
    } else if (waits != FM_MAP_ABSENT) {
        const struct fm_kineto_sync *sync = &of->trace->syncs.items[waits - 1];
        const int64_t stream =
            sync->record != 0 && !sync->is_of_stream ? sync->record_stream : sync->stream;
        const uint64_t id = stream_id(making, rank, sync->device, stream);
        if (id != UINT64_MAX) {
            append_number(making, location, time, making->stream, id);
        }
        if (sync->record != 0) {
            append_number(making, location, time, making->event, sync->record);
        }
    }
}

static bool is_synchronization(const char *name)
{
    return strstr(name, "StreamSynchronize") != NULL || strstr(name, "EventSynchronize") != NULL;
}

typedef FM_VECTOR(struct fm_scenario_event) leave_stack;

static void leave_until(struct making *making, uint32_t location, leave_stack *open, uint64_t time)
{
    while (open->count > 0 && open->items[open->count - 1].time <= time) {
        append(making, location, open->items[--open->count]);
    }
}

static void make_thread(struct making *making, uint32_t rank, uint32_t place)
{
    const struct fm_kineto_rank *of = &making->ranks[rank];
    struct fm_kineto_lane *lane = &of->trace->lanes.items[of->threads.items[place]];
    const uint32_t location = location_of(making, rank, false, place);
    leave_stack open = {0};
    for (size_t i = 0; i < lane->events.count && making->has_memory; i++) {
        const struct fm_kineto_event *event = &lane->events.items[i];
        const uint64_t begin = fm_kineto_time(making->job, of->trace, event->begin);
        const uint64_t end = fm_kineto_time(making->job, of->trace, event->end);
        const char *name = fm_kineto_name(making->job, event->name);
        const uint32_t number = region(making, host_name(making, name));
        leave_until(making, location, &open, begin);
        append(
            making, location,
            (struct fm_scenario_event){.kind = FM_SCENARIO_ENTER, .time = begin, .object = number});
        if (event->kind == FM_KINETO_CALL) {
            append_call_records(making, rank, location, event, begin);
            making->job->defects.unnamed_syncs +=
                is_synchronization(name) &&
                fm_map_get(&of->sync_of, event->correlation) == FM_MAP_ABSENT;
        }
        fm_vector_push(&open, ((struct fm_scenario_event){
                                  .kind = FM_SCENARIO_LEAVE, .time = end, .object = number}));
    }
    leave_until(making, location, &open, UINT64_MAX);
    fm_vector_free(&open);
    fm_vector_free(&lane->events);
}

/* ---- streams ---- */

/* Directions of copies. */
enum direction { TO_DEVICE, TO_HOST, ON_DEVICE, BETWEEN_DEVICES, ON_HOST };

static enum direction direction_of(const char *name)
{
    static const struct {
        const char *part;
        enum direction direction;
    } parts[] = {{"HtoD", TO_DEVICE},       {"DtoH", TO_HOST}, {"DtoD", ON_DEVICE},
                 {"PtoP", BETWEEN_DEVICES}, {"HtoH", ON_HOST}, {"HtoA", TO_DEVICE},
                 {"AtoH", TO_HOST}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strstr(name, parts[i].part) != NULL) {
            return parts[i].direction;
        }
    }
    return ON_DEVICE;
}

static uint32_t work_region(struct making *making, const struct fm_kineto_event *event)
{
    static const char *const directions[] = {"to device", "to host", "on device", "between devices",
                                             "on host"};
    const char *name = fm_kineto_name(making->job, event->name);
    const char *model = making->is_hip ? "hip" : "cuda";
    char text[64];
    if (event->kind == FM_KINETO_KERNEL) {
        char *kernel = fm_kernel_region(name);
        const uint32_t number = region(making, kernel);
        fm_free(kernel);
        return number;
    }
    if (event->kind == FM_KINETO_SET) {
        snprintf(text, sizeof text, "%s set", model);
    } else {
        snprintf(text, sizeof text, "%s copy %s", model, directions[direction_of(name)]);
    }
    return region(making, text);
}

/* The bytes of a copy are those of a one-sided operation. */
static void append_bytes(struct making *making, uint32_t rank, uint32_t location,
                         const struct fm_kineto_event *event, uint64_t time)
{
    const struct fm_kineto_rank *of = &making->ranks[rank];
    const enum direction direction = direction_of(fm_kineto_name(making->job, event->name));
    const uint32_t launch = fm_map_get(&of->launch_of, event->correlation);
    uint64_t bytes = event->bytes;
    if (event->kind != FM_KINETO_COPY || (direction != TO_DEVICE && direction != TO_HOST)) {
        return;
    }
    if (bytes == 0 && launch != FM_MAP_ABSENT) {
        bytes = of->launches.items[launch].bytes;
    }
    making->job->defects.without_bytes += bytes == 0;
    if (bytes != 0) {
        struct fm_scenario_event operation = {.kind = direction == TO_DEVICE ? FM_SCENARIO_GET
                                                                             : FM_SCENARIO_PUT,
                                              .time = time,
                                              .object = making->window,
                                              .peer = rank,
                                              .bytes = bytes};
        append(making, location, operation);
        operation.kind = FM_SCENARIO_DONE_BLOCKING;
        append(making, location, operation);
    }
}

static void append_collective(struct making *making, uint32_t location,
                              const struct fm_kineto_part *part, uint64_t begin, uint64_t end)
{
    append(making, location,
           (struct fm_scenario_event){.kind = FM_SCENARIO_COLL_BEGIN, .time = begin});
    append(making, location,
           (struct fm_scenario_event){.kind = FM_SCENARIO_COLL_END,
                                      .time = end,
                                      .object = part->communicator,
                                      .peer = FM_SCENARIO_NONE,
                                      .detail = part->operation,
                                      .bytes = part->stated->sent,
                                      .received = part->stated->received});
}

static void make_stream(struct making *making, uint32_t rank, uint32_t place)
{
    const struct fm_kineto_rank *of = &making->ranks[rank];
    struct fm_kineto_lane *lane = &of->trace->lanes.items[of->streams.items[place]];
    const uint32_t location = location_of(making, rank, true, place);
    for (uint32_t i = 0; i < lane->events.count && making->has_memory; i++) {
        const struct fm_kineto_event *event = &lane->events.items[i];
        const uint64_t begin = fm_kineto_time(making->job, of->trace, event->begin);
        const uint64_t end = fm_kineto_time(making->job, of->trace, event->end);
        const uint32_t number = work_region(making, event);
        append(
            making, location,
            (struct fm_scenario_event){.kind = FM_SCENARIO_ENTER, .time = begin, .object = number});
        if (fm_map_get(&of->launch_of, event->correlation) != FM_MAP_ABSENT) {
            append_number(making, location, begin, making->correlation, event->correlation);
        }
        append_bytes(making, rank, location, event, begin);
        const struct fm_kineto_part *part =
            fm_kineto_part_of(&making->parts, rank, of->streams.items[place], i);
        if (part != NULL) {
            append_collective(making, location, part, begin, end);
        }
        append(
            making, location,
            (struct fm_scenario_event){.kind = FM_SCENARIO_LEAVE, .time = end, .object = number});
    }
    fm_vector_free(&lane->events);
}

/* ---- the archive ---- */

static void name_location(struct making *making, uint32_t rank, const struct fm_kineto_lane *lane,
                          uint32_t location)
{
    const struct fm_kineto_rank *of = &making->ranks[rank];
    struct fm_scenario_location *named = &making->scenario->locations[location];
    const char *model = making->is_hip ? "HIP" : "CUDA";
    const bool has_devices =
        of->streams.count > 0 &&
        of->trace->lanes.items[of->streams.items[0]].process !=
            of->trace->lanes.items[of->streams.items[of->streams.count - 1]].process;
    int length = 0;
    named->is_stream = lane->is_stream;
    named->is_absent = false;
    if (!lane->is_stream) {
        length = asprintf(&named->name, "%s %" PRId64,
                          lane->thread == lane->process ? "Main thread" : "Thread", lane->thread);
    } else if (has_devices) {
        length = asprintf(&named->name, "%s device %" PRId64 " stream %" PRId64, model,
                          lane->process, lane->thread);
    } else {
        length = asprintf(&named->name, "%s stream %" PRId64, model, lane->thread);
    }
    if (length < 0) {
        named->name = NULL;
        making->has_memory = false;
    }
}

static void name_locations(struct making *making)
{
    const struct fm_scenario *scenario = making->scenario;
    for (uint32_t i = 0; i < scenario->rank_count * scenario->thread_count; i++) {
        scenario->locations[i].is_absent = i % scenario->thread_count != 0;
    }
    for (uint32_t rank = 0; rank < scenario->rank_count; rank++) {
        const struct fm_kineto_rank *of = &making->ranks[rank];
        for (uint32_t i = 0; i < of->trace->lanes.count; i++) {
            const struct fm_kineto_lane *lane = &of->trace->lanes.items[i];
            name_location(making, rank, lane,
                          location_of(making, rank, lane->is_stream, of->place_of.items[i]));
        }
    }
}

static uint32_t parameter(struct making *making, const char *name)
{
    char key[64];
    const int length = snprintf(key, sizeof key, "%c%s", FM_SCENARIO_PARAMETER_UNSIGNED, name);
    return fm_key_table_add(&making->scenario->parameters, key, (size_t)length);
}

static fm_status_t begin(struct making *making, struct fm_error *error)
{
    const size_t count = making->job->traces.count;
    uint32_t most_streams = 0;
    making->most_threads = 1;
    for (size_t i = 0; i < count; i++) {
        struct fm_kineto_rank *rank = &making->ranks[i];
        struct fm_kineto_trace *trace = &making->job->traces.items[i];
        fm_kineto_rank_connect(making->job, trace, rank);
        making->is_hip = making->is_hip || trace->is_hip;
        if (rank->threads.count > making->most_threads) {
            making->most_threads = (uint32_t)rank->threads.count;
        }
        if (rank->streams.count > most_streams) {
            most_streams = (uint32_t)rank->streams.count;
        }
    }
    making->scenario = fm_scenario_create("profiler traces", TICKS_PER_SECOND, (uint32_t)count,
                                          making->most_threads + most_streams);
    if (making->scenario == NULL) {
        return fm_fail(error, FM_ERR_DATA,
                       "the profiler traces have too many threads and streams, or memory ran out");
    }
    making->scenario->machine = "PyTorch profiler";
    making->correlation = parameter(making, FM_SCENARIO_CORRELATION_PARAMETER);
    making->stream = parameter(making, FM_SCENARIO_STREAM_PARAMETER);
    making->event = parameter(making, FM_SCENARIO_EVENT_PARAMETER);
    making->window = fm_scenario_add_window(making->scenario, "copies", 0);
    making->has_memory = making->event != FM_KEY_NONE && making->window != FM_SCENARIO_NONE;
    name_locations(making);
    return FM_OK;
}

fm_status_t fm_kineto_archive_make(struct fm_kineto_job *job, struct fm_scenario **scenario,
                                   struct fm_error *error)
{
    struct making making = {.job = job};
    making.ranks = fm_allocate(job->traces.count, sizeof *making.ranks);
    fm_status_t status = begin(&making, error);
    if (status == FM_OK) {
        status =
            fm_kineto_collectives_match(job, making.ranks, making.scenario, &making.parts, error);
    }
    for (uint32_t rank = 0; rank < job->traces.count && status == FM_OK; rank++) {
        const struct fm_kineto_rank *of = &making.ranks[rank];
        for (uint32_t i = 0; i < of->threads.count; i++) {
            make_thread(&making, rank, i);
        }
        for (uint32_t i = 0; i < of->streams.count; i++) {
            make_stream(&making, rank, i);
        }
    }
    for (size_t i = 0; i < job->traces.count; i++) {
        fm_kineto_rank_free(&making.ranks[i]);
    }
    fm_free(making.ranks);
    fm_vector_free(&making.parts);
    if (status == FM_OK && !making.has_memory) {
        status = fm_fail(error, FM_ERR_SYSTEM, "no memory for the events of the profiler traces");
    }
    if (status != FM_OK) {
        fm_scenario_free(making.scenario);
        return status;
    }
    if (making.has_steps) {
        fm_kineto_warn(job, "Iteration 0 of the phase " STEP " is " STEP "#%" PRId64 ".",
                       making.first_step);
    }
    *scenario = making.scenario;
    return FM_OK;
}
