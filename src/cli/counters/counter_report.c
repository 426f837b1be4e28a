/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/counters/counter_report.h"

#include "base/containers/map.h"
#include "base/containers/vector.h"
#include "base/memory.h"
#include "cli/archive/environment.h"
#include "cli/counters/traffic/traffic_report.h"
#include "counters/call_profile.h"
#include "counters/counter_job.h"
#include "cube/model/metric_id.h"
#include "cube/view/view.h"
#include "fermata/counters.h"
#include "functions/function_kind.h"
#include "functions/paradigm_names.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TICKS_PER_SECOND = 1000000000 };

/* The report so far. */
struct builder {
    struct fm_cube *cube;
    struct fm_map regions;         /* hash of name, file and line -> the last such region; ... */
    FM_VECTOR(uint32_t) same_hash; /* ... [region]: the one before it, FM_CUBE_NONE: none */
    struct fm_map callpaths;       /* parent | region << 32 -> call path */
    uint32_t root;
    unsigned rank;              /* that is read */
    unsigned world, world_rank; /* of this rank */
    const char *host;           /* its node */
    uint32_t location;          /* of the rows that are read */
    int64_t left;               /* ticks of the location outside of calls so far */
    uint32_t first;             /* first location of the rank; FM_CUBE_NONE: none so far */
    size_t with_calls;          /* number of ranks with a file of calls */
};

static fm_status_t out_of_memory(struct fm_error *error)
{
    return fm_fail(error, FM_ERR_SYSTEM, "out of memory for the report");
}

static int64_t ticks_of(double seconds)
{
    return (int64_t)(seconds * TICKS_PER_SECOND + 0.5);
}

/* ---- regions and call paths ---- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++) {
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    }
    return (hash ^ 0xff) * UINT64_C(0x100000001b3);
}

static bool is_region(const struct fm_cube_region *region, const char *name, const char *file,
                      uint32_t line)
{
    bool same_file = region->file == NULL || file == NULL ? region->file == file
                                                          : strcmp(region->file, file) == 0;
    return same_file && region->line == line && strcmp(region->name, name) == 0;
}

/* @return the region, which is added if it does not exist; FM_CUBE_NONE without memory */
static uint32_t region_of(struct builder *builder, const char *name, const char *paradigm,
                          const char *file, uint32_t line)
{
    struct fm_cube *cube = builder->cube;
    uint64_t hash = hash_text(UINT64_C(0xcbf29ce484222325), name) + line;
    hash = file != NULL ? hash_text(hash, file) : hash;
    uint32_t known = fm_map_get(&builder->regions, hash);
    uint32_t before = known == FM_MAP_ABSENT ? FM_CUBE_NONE : known;
    for (uint32_t i = before; i != FM_CUBE_NONE; i = builder->same_hash.items[i]) {
        if (is_region(&cube->regions[i], name, file, line)) {
            return i;
        }
    }
    uint32_t region = fm_cube_add_region(cube, name, paradigm, file, line);
    if (region != FM_CUBE_NONE) {
        fm_vector_push(&builder->same_hash, before); /* [region] */
        *fm_map_at(&builder->regions, hash, region) = region;
    }
    return region;
}

static uint32_t callpath_of(struct builder *builder, uint32_t parent, uint32_t region)
{
    uint64_t key = parent | (uint64_t)region << 32;
    uint32_t callpath = fm_map_get(&builder->callpaths, key);
    if (callpath == FM_MAP_ABSENT && region != FM_CUBE_NONE) {
        callpath = fm_cube_add_callpath(builder->cube, parent, region);
        if (callpath != FM_CUBE_NONE) {
            *fm_map_at(&builder->callpaths, key, callpath) = callpath;
        }
    }
    return region == FM_CUBE_NONE ? FM_CUBE_NONE : callpath;
}

/* The call path of the frames of a row. The line at which the last one makes its call belongs to
 * the called function; those of the others to no function of the report.
 * @param last  out: the last frame, to be freed (its name) */
static uint32_t path_of(struct builder *builder, const struct fm_call_row *row,
                        struct fm_call_frame *last)
{
    uint32_t callpath = builder->root;
    *last = (struct fm_call_frame){0};
    for (size_t i = 0; i < row->frame_count && callpath != FM_CUBE_NONE; i++) {
        fm_free(last->name);
        *last = fm_call_frame_take_apart(fm_copy_string(row->frames[i]));
        uint32_t region =
            region_of(builder, last->name, fm_paradigm_name(FM_PARADIGM_USER), NULL, 0);
        callpath = callpath_of(builder, callpath, region);
    }
    return callpath;
}

/* ---- calls ---- */

static fm_metric_t own_metric(fm_paradigm_t paradigm, const char *function)
{
    const char *id = fm_function_kind(paradigm, function).own_metric;
    return id == NULL ? FM_METRIC_COMP : fm_metric_by_id(id);
}

/* The metrics of the bytes that a call sends and receives. A call that completes requests has those
 * of messages and of collectives. */
static void byte_metrics(fm_paradigm_t paradigm, const char *function, fm_metric_t metrics[2])
{
    fm_metric_t own = own_metric(paradigm, function);
    bool is_any = fm_function_kind(paradigm, function).completes_requests;
    metrics[0] = metrics[1] = FM_METRIC_BYTES;
    if (!is_any && fm_metric_is_within(own, FM_METRIC_MPI_POINT2POINT)) {
        metrics[0] = FM_METRIC_BYTES_SENT;
        metrics[1] = FM_METRIC_BYTES_RCVD;
    } else if (fm_metric_is_within(own, FM_METRIC_MPI_COLLECTIVE) ||
               fm_metric_is_within(own, FM_METRIC_SHMEM_COLLECTIVE)) {
        metrics[0] = FM_METRIC_BYTES_COUT;
        metrics[1] = FM_METRIC_BYTES_CIN;
    } else if (fm_metric_is_within(own, FM_METRIC_MPI_RMA_COMMUNICATION) ||
               fm_metric_is_within(own, FM_METRIC_SHMEM_RMA_COMMUNICATION)) {
        metrics[0] = FM_METRIC_BYTES_PUT;
        metrics[1] = FM_METRIC_BYTES_GET;
    }
}

static fm_status_t add_call(struct builder *builder, const struct fm_call_row *row,
                            struct fm_error *error)
{
    struct fm_call_frame caller;
    fm_paradigm_t paradigm = fm_paradigm_of_function(row->function);
    uint32_t parent = path_of(builder, row, &caller);
    uint32_t region =
        region_of(builder, row->function, fm_paradigm_name(paradigm), caller.file, caller.line);
    uint32_t callpath =
        parent == FM_CUBE_NONE ? FM_CUBE_NONE : callpath_of(builder, parent, region);
    fm_free(caller.name);
    if (callpath == FM_CUBE_NONE) {
        return out_of_memory(error);
    }
    fm_metric_t bytes[2];
    byte_metrics(paradigm, row->function, bytes);
    int64_t ticks = ticks_of(row->numbers[FM_CALL_SECONDS]);
    builder->left -= ticks;
    const struct {
        fm_metric_t metric;
        int64_t value;
    } values[] = {{own_metric(paradigm, row->function), ticks},
                  {FM_METRIC_VISITS, (int64_t)row->numbers[FM_CALL_NUMBER]},
                  {bytes[0], (int64_t)row->numbers[FM_CALL_SENT]},
                  {bytes[1], (int64_t)row->numbers[FM_CALL_RECEIVED]}};
    fm_status_t status = FM_OK;
    for (size_t i = 0; status == FM_OK && i < sizeof values / sizeof values[0]; i++) {
        status = fm_cube_add(builder->cube, values[i].metric, callpath, builder->location,
                             values[i].value, error);
    }
    return status;
}

/* Adds the sums of the stretches of a call path. Which of them have a known run delay is not
 * stated: where those with one are at least a tenth, what they have more than their run delay was
 * waiting in the operating system in all of them. */
#define ENOUGH_DELAYS 0.1

static fm_status_t add_stretch(struct builder *builder, const struct fm_call_row *row,
                               struct fm_error *error)
{
    static const struct {
        int number;
        bool is_time;
        fm_metric_t metric;
    } metrics[] = {
        {FM_STRETCH_SECONDS, true, FM_METRIC_MEASURED_TIME},
        {FM_STRETCH_STOLEN, true, FM_METRIC_STOLEN_TIME},
        {FM_STRETCH_DELAY_MEASURED, true, FM_METRIC_DELAY_MEASURED_TIME},
        {FM_STRETCH_DELAY, true, FM_METRIC_RUN_DELAY},
        {FM_STRETCH_SYSTEM, true, FM_METRIC_COUNTER_USAGE_TIME_SYSTEM},
        {FM_STRETCH_FAULTS, false, FM_METRIC_COUNTER_USAGE_PAGE_FAULTS_MINOR},
        {FM_STRETCH_FAULTS_DISK, false, FM_METRIC_COUNTER_USAGE_PAGE_FAULTS_MAJOR},
        {FM_STRETCH_PREEMPTIONS, false, FM_METRIC_COUNTER_USAGE_PREEMPTIONS},
        {FM_STRETCH_SWITCHES, false, FM_METRIC_COUNTER_USAGE_SWITCHES_VOLUNTARY},
    };
    struct fm_call_frame last;
    uint32_t callpath = path_of(builder, row, &last);
    fm_free(last.name);
    fm_status_t status = callpath == FM_CUBE_NONE ? out_of_memory(error) : FM_OK;
    for (size_t i = 0; status == FM_OK && i < sizeof metrics / sizeof metrics[0]; i++) {
        double number = row->numbers[metrics[i].number];
        status = fm_cube_add(builder->cube, metrics[i].metric, callpath, builder->location,
                             metrics[i].is_time ? ticks_of(number) : (int64_t)number, error);
    }
    const double *numbers = row->numbers;
    bool is_known =
        numbers[FM_STRETCH_DELAY_MEASURED] >= ENOUGH_DELAYS * numbers[FM_STRETCH_SECONDS];
    double stolen = numbers[FM_STRETCH_STOLEN], load = 0;
    if (is_known && numbers[FM_STRETCH_DELAY_MEASURED] > 0) {
        load = numbers[FM_STRETCH_DELAY] * numbers[FM_STRETCH_SECONDS] /
               numbers[FM_STRETCH_DELAY_MEASURED];
    }
    if (status == FM_OK && stolen > load) {
        status = fm_cube_add(builder->cube,
                             is_known ? FM_METRIC_BLOCKED_TIME : FM_METRIC_UNRESOLVED_TIME,
                             callpath, builder->location, ticks_of(stolen - load), error);
    }
    return status;
}

/* ---- locations ---- */

/* Ends the rows of a location: the rest of its time is computation. */
static fm_status_t end_location(struct builder *builder, struct fm_error *error)
{
    fm_status_t status = FM_OK;
    if (builder->location != FM_CUBE_NONE && builder->left > 0) {
        status = fm_cube_add(builder->cube, FM_METRIC_COMP, builder->root, builder->location,
                             builder->left, error);
    }
    builder->location = FM_CUBE_NONE;
    return status;
}

static fm_status_t begin_location(struct builder *builder, unsigned thread, double seconds,
                                  struct fm_error *error)
{
    struct fm_cube *cube = builder->cube;
    char name[64];
    if (builder->location != FM_CUBE_NONE && thread <= cube->locations[builder->location].thread) {
        return fm_fail(error, FM_ERR_DATA, "rank %u: threads are not in ascending order",
                       builder->rank);
    }
    fm_status_t status = end_location(builder, error);
    if (status != FM_OK) {
        return status;
    }
    if (thread == 0) {
        snprintf(name, sizeof name, "rank %u", builder->rank);
    } else {
        snprintf(name, sizeof name, "rank %u, thread %u", builder->rank, thread);
    }
    builder->location = fm_cube_add_location(cube, (uint64_t)builder->rank << 32 | thread,
                                             builder->rank, thread, builder->host, name);
    if (builder->location == FM_CUBE_NONE) {
        return out_of_memory(error);
    }
    cube->locations[builder->location].world = builder->world;
    cube->locations[builder->location].world_rank = builder->world_rank;
    builder->first = builder->first == FM_CUBE_NONE ? builder->location : builder->first;
    builder->left = ticks_of(seconds);
    uint64_t end = (uint64_t)builder->left;
    cube->experiment.end = end > cube->experiment.end ? end : cube->experiment.end;
    return FM_OK;
}

static fm_status_t take_row(void *context, const struct fm_call_row *row, struct fm_error *error)
{
    struct builder *builder = context;
    if (row->kind == FM_ROW_THREAD) {
        return begin_location(builder, row->thread, row->numbers[0], error);
    }
    if (builder->location == FM_CUBE_NONE ||
        builder->cube->locations[builder->location].thread != row->thread) {
        return fm_fail(error, FM_ERR_DATA, "rank %u: calls of a thread without a row of its own",
                       builder->rank);
    }
    return row->kind == FM_ROW_CALL      ? add_call(builder, row, error)
           : row->kind == FM_ROW_STRETCH ? add_stretch(builder, row, error)
                                         : FM_OK;
}

static fm_status_t read_rank(struct builder *builder, const struct fm_counter_job *job,
                             size_t position, struct fm_error *error)
{
    char path[PATH_MAX + 64];
    builder->rank = fm_counter_job_rank(job, position);
    builder->world = job->worlds[job->world_of[position]].number;
    builder->world_rank = fermata_counters_rank(job->files[position]);
    builder->host = fermata_counters_host(job->files[position]);
    builder->first = builder->location = FM_CUBE_NONE;
    fm_counter_job_file(job, position, "calls", path, sizeof path);
    fm_status_t status = fm_call_profile_read(path, take_row, builder, error);
    if (status == FM_ERR_SYSTEM && errno == ENOENT) {
        status = FM_OK;
    } else {
        builder->with_calls++;
    }
    if (status == FM_OK) {
        status = end_location(builder, error);
    }
    if (status == FM_OK && builder->first == FM_CUBE_NONE) {
        status = begin_location(builder, 0, 0, error);
    }
    return status;
}

/* ---- counters of processes ---- */

/* @return the unit of the metric of a counter. @return false: it is no sum, or others have it */
static bool unit_of_counter(const struct fm_job_counter *counter, fm_unit_t *unit)
{
    if (!counter->is_selected || strncmp(counter->name, "calls:", 6) == 0 ||
        strncmp(counter->name, "time:", 5) == 0) {
        return false;
    }
    switch (counter->kind) {
    case FM_COUNTER_COUNT:
    case FM_COUNTER_BINS:
    case FM_COUNTER_HISTOGRAM:
        *unit = FM_UNIT_OCCURRENCES;
        return true;
    case FM_COUNTER_BYTES:
        *unit = FM_UNIT_BYTES;
        return true;
    case FM_COUNTER_TIMER:
    case FM_COUNTER_NANOSECONDS:
        *unit = FM_UNIT_TICKS;
        return true;
    default:
        return false;
    }
}

static fm_metric_t metric_of(const struct fm_job_counter *counter, fm_unit_t unit)
{
    char id[FM_METRIC_ID_SIZE], description[512];
    fm_metric_counter_id(id, counter->name);
    const struct fm_counter_entry *entry = fm_counter_named(counter->name);
    const char *meaning = entry != NULL && entry->meaning != NULL ? entry->meaning : "";
    snprintf(description, sizeof description, "The counter %s of each process%s%s.", counter->name,
             meaning[0] != '\0' ? ": " : "", meaning);
    return fm_metric_declare(&(struct fm_metric_info){
        .id = id,
        .parent = FM_METRIC_NONE,
        .name = counter->name,
        .unit = unit,
        .description = description,
        .formula = "The value at the end of the process, at the root of the call tree.",
        .advice = ""});
}

/* Adds a counter, if a process has a value of it and the report has not got it otherwise. */
static fm_status_t add_counter(struct builder *builder, const struct fm_counter_job *job,
                               size_t counter, const uint32_t *locations, struct fm_error *error)
{
    fm_unit_t unit;
    char id[FM_METRIC_ID_SIZE];
    double value = 0;
    fm_status_t status = FM_OK;
    fm_metric_t metric = FM_METRIC_NONE;
    if (!unit_of_counter(&job->counters[counter], &unit)) {
        return FM_OK;
    }
    fm_metric_counter_id(id, job->counters[counter].name);
    fm_metric_t known = fm_metric_by_id(id);
    if (known != FM_METRIC_NONE && known < FM_METRIC_USER) {
        return FM_OK;
    }
    for (size_t i = 0; status == FM_OK && i < job->ranks; i++) {
        if (!fm_counter_job_value(job, i, counter, -1, &value) || value <= 0) {
            continue;
        }
        metric = metric == FM_METRIC_NONE ? metric_of(&job->counters[counter], unit) : metric;
        if (metric == FM_METRIC_NONE) {
            return fm_cube_warn_omission(builder->cube, error,
                                         "The counter %s is left out: too many metrics.",
                                         job->counters[counter].name);
        }
        status = fm_cube_add(builder->cube, metric, builder->root, locations[i],
                             unit == FM_UNIT_TICKS ? ticks_of(value) : (int64_t)value, error);
    }
    return status;
}

/* ---- the whole ---- */

static fm_status_t describe(struct builder *builder, const struct fm_counter_job *job,
                            struct fm_error *error)
{
    struct fm_cube_experiment *experiment = &builder->cube->experiment;
    const char *program = fermata_counters_program(job->files[0]);
    const char *slash = strrchr(program, '/');
    const char *name = slash != NULL ? slash + 1 : program;
    builder->cube->is_profile = true;
    experiment->ticks_per_second = TICKS_PER_SECOND;
    experiment->process_count = (uint32_t)job->ranks;
    uint32_t region = region_of(builder, name, fm_paradigm_name(FM_PARADIGM_USER), NULL, 0);
    builder->root = callpath_of(builder, FM_CUBE_NONE, region);
    if (builder->root == FM_CUBE_NONE) {
        return out_of_memory(error);
    }
    fm_status_t status = fm_cube_set_text(&experiment->title, name, error);
    return status == FM_OK ? fm_cube_set_text(&experiment->creator, "fermata, counters only", error)
                           : status;
}

static void add_overhead(struct builder *builder, const char *directory)
{
    json_t *environment = fm_environment_load(directory);
    builder->cube->experiment.overhead = fm_environment_overhead(environment);
    builder->cube->experiment.overhead_is_least = fm_environment_overhead_is_least(environment);
    builder->cube->experiment.costliest = fm_environment_costliest(environment);
    json_decref(environment);
}

static fm_status_t warn(struct builder *builder, const struct fm_counter_job *job,
                        struct fm_error *error)
{
    const size_t ended = fm_counter_job_in_state(job, FERMATA_PROCESS_ENDED);
    fm_status_t status = FM_OK;
    if (builder->with_calls > ended) {
        status = fm_cube_warn(builder->cube, error,
                              "%zu of %zu processes did not reach their regular end: their times "
                              "end with the last call that they have left.",
                              job->ranks - ended, job->ranks);
    }
    if (status == FM_OK && builder->with_calls < job->ranks) {
        status = fm_cube_warn(
            builder->cube, error,
            "%zu of %zu processes did not reach their regular end, or had no room to write their "
            "calls: of these, the report has counters and no calls.",
            job->ranks - builder->with_calls, job->ranks);
    }
    return status;
}

static fm_status_t fill(struct builder *builder, const struct fm_counter_job *job,
                        struct fm_error *error)
{
    uint32_t *locations = fm_allocate(job->ranks, sizeof *locations);
    fm_status_t status = describe(builder, job, error);
    for (size_t i = 0; status == FM_OK && i < job->ranks; i++) {
        status = read_rank(builder, job, i, error);
        locations[i] = builder->first;
    }
    for (size_t i = 0; status == FM_OK && i < job->count; i++) {
        status = add_counter(builder, job, i, locations, error);
    }
    if (status == FM_OK) {
        status = fm_traffic_add_to_report(builder->cube, job, locations, error);
    }
    if (status == FM_OK) {
        status = warn(builder, job, error);
    }
    fm_free(locations);
    return status == FM_OK ? fm_cube_seal(builder->cube, error) : status;
}

fm_status_t fm_counters_make_report(const char *directory, struct fm_cube **cube,
                                    struct fm_error *error)
{
    struct fm_counter_job job;
    struct builder builder = {.location = FM_CUBE_NONE};
    fm_status_t status = fm_counter_job_open(directory, &job, error);
    if (status != FM_OK) {
        return status;
    }
    fm_counter_job_read(&job);
    builder.cube = fm_cube_create();
    status = builder.cube == NULL ? out_of_memory(error) : fill(&builder, &job, error);
    if (status == FM_OK) {
        add_overhead(&builder, directory);
        *cube = builder.cube;
    } else {
        fm_cube_free(builder.cube);
    }
    fm_vector_free(&builder.same_hash);
    fm_map_free(&builder.regions);
    fm_map_free(&builder.callpaths);
    fm_counter_job_close(&job);
    return status;
}
