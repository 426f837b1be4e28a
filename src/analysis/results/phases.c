/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/results/phases.h"

#include "analysis/clocks/wait_errors.h"
#include "analysis/results/phase_instances.h"
#include "analysis/results/statistics.h"

/* Waiting of one kind in one iteration. */
struct wait_sum {
    uint64_t iteration;
    uint64_t ticks;
    uint64_t error;
    uint32_t kind;
};

/* The sums of one worker for one phase. */
struct phase_part {
    FM_VECTOR(struct fm_cube_iteration) iterations;
    FM_VECTOR(struct wait_sum) waits;
    struct fm_map wait_index; /* (iteration, kind) -> position in `waits` */
};

struct phases {
    const struct fm_formation *formation;
    struct fm_phase_regions regions;
    struct phase_part *parts; /* [worker][phase] */
};

/* ---- one instance ---- */

static uint64_t multiply(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t computation_between(const struct fm_formation *formation, uint32_t location,
                                    uint64_t begin, uint64_t end, struct fm_profile *profile)
{
    const struct fm_trace *trace = formation->analysis->trace;
    uint64_t computation = 0;
    fm_busy_time_profile(&formation->busy_times[location], begin, end, profile);
    for (uint32_t i = 0; i < profile->count; ++i) {
        uint32_t visit = profile->visits[i];
        uint32_t region = trace->locations[location].profile.items[visit].region;
        computation += trace->regions[region].is_computation ? profile->time[visit] : 0;
    }
    return computation;
}

static void add_wait(struct phase_part *part, uint64_t iteration, fm_metric_t kind, uint64_t ticks,
                     uint64_t error)
{
    uint32_t next = (uint32_t)part->waits.count;
    uint32_t position =
        *fm_map_at(&part->wait_index, iteration * FM_METRIC_USER + (uint64_t)kind, next);
    if (position == next) {
        fm_vector_push(&part->waits,
                       (struct wait_sum){.iteration = iteration, .kind = (uint32_t)kind});
    }
    part->waits.items[position].ticks += ticks;
    part->waits.items[position].error += error;
    part->iterations.items[iteration].waiting += ticks;
    part->iterations.items[iteration].error += error;
}

static void add_waits(const struct fm_formation *formation, struct phase_part *part,
                      uint64_t iteration, uint32_t location, uint64_t begin, uint64_t end)
{
    const struct fm_wait_list *waits = &formation->busy_times[location].waits;
    for (uint32_t w = fm_wait_list_behind(waits, begin);
         w < waits->count && waits->items[w].enter < end; ++w) {
        const struct fm_wait *wait = &waits->items[w];
        uint64_t from = wait->enter > begin ? wait->enter : begin;
        uint64_t to = wait->until < end ? wait->until : end;
        const uint64_t error = fm_wait_error(
            formation->analysis->wait_errors, (struct fm_call_ref){location, wait->activity},
            (struct fm_call_ref){wait->cause_location, wait->cause_activity}, fm_wait_ticks(wait));
        add_wait(part, iteration, fm_wait_kind((fm_metric_t)wait->metric), to - from,
                 to > from ? error : 0);
    }
}

/* @return an iteration without instances */
static struct fm_cube_iteration empty_iteration(uint64_t number)
{
    return (struct fm_cube_iteration){
        .first = number, .count = 1, .begin = UINT64_MAX, .slowest = FM_CUBE_NONE};
}

static struct fm_cube_iteration *iteration_at(struct phase_part *part, uint64_t number)
{
    for (uint64_t next = part->iterations.count; next <= number; ++next) {
        fm_vector_push(&part->iterations, empty_iteration(next));
    }
    return &part->iterations.items[number];
}

/* Adds the values of some locations to those of lower locations. */
static void add_locations(struct fm_cube_iteration *to, const struct fm_cube_iteration *from)
{
    to->begin = from->begin < to->begin ? from->begin : to->begin;
    to->end = from->end > to->end ? from->end : to->end;
    to->duration = from->duration > to->duration ? from->duration : to->duration;
    to->time += from->time;
    to->computation += from->computation;
    to->waiting += from->waiting;
    to->error += from->error;
    to->locations += from->locations;
    if (from->longest_computation > to->longest_computation) {
        to->longest_computation = from->longest_computation;
        to->slowest = from->slowest;
    }
}

static void add_instance(const struct phases *phases, struct phase_part *part, uint64_t number,
                         uint32_t location, const struct fm_phase *instance, uint64_t computation)
{
    const struct fm_cube_iteration found = {
        .begin = instance->begin,
        .end = instance->end,
        .duration = instance->end - instance->begin,
        .time = instance->end - instance->begin,
        .computation = computation,
        .longest_computation = computation,
        .locations = 1,
        .slowest = location,
    };
    add_locations(iteration_at(part, number), &found);
    add_waits(phases->formation, part, number, location, instance->begin, instance->end);
}

/* ---- one location ---- */

/* One worker's tables. */
struct scratch {
    struct phase_part *parts; /* [phase] */
    struct fm_profile profile;
};

/* The location whose instances are handled. */
struct taker {
    const struct phases *phases;
    struct scratch *scratch;
    uint32_t location;
};

static void take_instance(void *context, uint32_t phase, uint64_t number, uint32_t owner,
                          const struct fm_phase *instance)
{
    struct taker *taker = context;
    const struct fm_location *location =
        &taker->phases->formation->analysis->trace->locations[taker->location];
    uint64_t computation =
        owner == taker->location && location->loops.count == 0
            ? instance->computation
            : computation_between(taker->phases->formation, taker->location, instance->begin,
                                  instance->end, &taker->scratch->profile);
    add_instance(taker->phases, &taker->scratch->parts[phase], number, taker->location, instance,
                 computation);
}

static void add_processes(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct phases *phases = context;
    const struct fm_trace *trace = phases->formation->analysis->trace;
    struct scratch scratch = {
        .parts = &phases->parts[(size_t)worker * phases->regions.count],
    };
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        if (trace->locations[l].event_count != 0) {
            fm_phase_instances(&phases->regions, trace, l, take_instance,
                               &(struct taker){phases, &scratch, l});
        }
    }
    fm_profile_free(&scratch.profile);
}

/* ---- all locations ---- */

/* Adds the sums of another worker for a phase, whose locations are higher. */
static void add_part(struct phase_part *whole, const struct fm_cube_iteration *iterations,
                     size_t iteration_count, const struct wait_sum *waits, size_t wait_count)
{
    for (size_t i = 0; i < iteration_count; ++i) {
        add_locations(iteration_at(whole, iterations[i].first), &iterations[i]);
    }
    for (size_t i = 0; i < wait_count; ++i) {
        fm_vector_push(&whole->waits, waits[i]);
    }
}

/* Adds the sums of all workers for a phase, on process 0 also those of all processes, to the sums
 * of the first worker. */
static void merge_parts(const struct phases *phases, uint32_t phase, unsigned workers,
                        struct fm_team *team)
{
    struct phase_part *whole = &phases->parts[phase];
    for (unsigned w = 1; w < workers; ++w) {
        const struct phase_part *part = &phases->parts[(size_t)w * phases->regions.count + phase];
        add_part(whole, part->iterations.items, part->iterations.count, part->waits.items,
                 part->waits.count);
    }
    FM_VECTOR(struct fm_cube_iteration) iterations = {0};
    FM_VECTOR(struct wait_sum) waits = {0};
    fm_team_collect_vector(team, &whole->iterations, &iterations);
    fm_team_collect_vector(team, &whole->waits, &waits);
    whole->iterations.count = whole->waits.count = 0;
    add_part(whole, iterations.items, iterations.count, waits.items, waits.count);
    fm_vector_free(&iterations);
    fm_vector_free(&waits);
}

/* Fills rows and kinds of a phase from the sums of all locations. */
static void make_rows(struct phase_part *part, uint64_t begin, bool has_errors,
                      struct fm_cube_phase *phase)
{
    size_t count = part->iterations.count;
    uint64_t step = (count + FM_CUBE_ITERATIONS - 1) / FM_CUBE_ITERATIONS;
    bool occurs[FM_METRIC_USER] = {false};
    uint32_t kind_number[FM_METRIC_USER] = {0};
    for (size_t i = 0; i < part->waits.count; ++i) {
        occurs[part->waits.items[i].kind] = true;
    }
    phase->kinds = fm_allocate(FM_METRIC_USER, sizeof *phase->kinds);
    for (uint32_t metric = 0; metric < FM_METRIC_USER; ++metric) {
        kind_number[metric] = phase->kind_count;
        if (occurs[metric]) {
            phase->kinds[phase->kind_count++] = metric;
        }
    }
    phase->iteration_count = count;
    phase->row_count = (uint32_t)((count + step - 1) / step);
    phase->rows = fm_allocate(phase->row_count, sizeof *phase->rows);
    phase->waiting =
        fm_allocate((size_t)phase->row_count * phase->kind_count, sizeof *phase->waiting);
    if (has_errors) {
        phase->errors =
            fm_allocate((size_t)phase->row_count * phase->kind_count, sizeof *phase->errors);
    }
    for (size_t i = 0; i < count; ++i) {
        struct fm_cube_iteration *iteration = &part->iterations.items[i];
        struct fm_cube_iteration *row = &phase->rows[i / step];
        iteration->begin -= begin;
        iteration->end -= begin;
        iteration->capacity = multiply(iteration->duration, iteration->locations);
        iteration->computation_capacity =
            multiply(iteration->longest_computation, iteration->locations);
        if (i % step == 0) {
            *row = *iteration;
        } else {
            fm_cube_iteration_add(row, iteration);
        }
    }
    for (size_t i = 0; i < part->waits.count; ++i) {
        const struct wait_sum *wait = &part->waits.items[i];
        const size_t place = wait->iteration / step * phase->kind_count + kind_number[wait->kind];
        phase->waiting[place] += wait->ticks;
        if (has_errors) {
            phase->errors[place] += wait->error;
        }
    }
}

/* @return the cube's region for a region of the trace that occurs in a call path */
static uint32_t cube_region(const struct fm_trace *trace, const struct fm_cube *cube,
                            uint32_t region)
{
    for (uint32_t c = 0; c < trace->callpaths.count; ++c) {
        if (trace->callpaths.items[c].region == region) {
            return cube->callpaths[c].region;
        }
    }
    return FM_CUBE_NONE;
}

struct fm_phase_list fm_phases_compute(const struct fm_formation *formation, uint64_t begin)
{
    struct phases phases = {
        .formation = formation,
        .regions = fm_phase_regions_find(formation->analysis->trace),
    };
    struct fm_engine *engine = formation->analysis->engine;
    unsigned workers = fm_engine_workers(engine);
    phases.parts = fm_allocate((size_t)workers * phases.regions.count, sizeof *phases.parts);
    if (phases.regions.count > 0) {
        fm_engine_run(engine, add_processes, &phases);
    }
    struct fm_phase_list list = {.items = fm_allocate(phases.regions.count, sizeof *list.items)};
    for (uint32_t p = 0; p < phases.regions.count; ++p) {
        struct phase_part *part = &phases.parts[p];
        merge_parts(&phases, p, workers, formation->analysis->team);
        if (part->iterations.count > 0) {
            list.items[list.count].region = phases.regions.regions[p];
            make_rows(part, begin, formation->analysis->wait_errors != NULL,
                      &list.items[list.count++]);
        }
    }
    for (size_t i = 0; i < (size_t)workers * phases.regions.count; ++i) {
        fm_vector_free(&phases.parts[i].iterations);
        fm_vector_free(&phases.parts[i].waits);
        fm_map_free(&phases.parts[i].wait_index);
    }
    fm_free(phases.parts);
    fm_phase_regions_free(&phases.regions);
    return list;
}

fm_status_t fm_phases_fill(const struct fm_phase_list *phases, const struct fm_trace *trace,
                           struct fm_cube *cube, struct fm_error *error)
{
    fm_status_t status = FM_OK;
    for (uint32_t p = 0; p < phases->count && status == FM_OK; ++p) {
        struct fm_cube_phase phase = phases->items[p];
        phase.region = cube_region(trace, cube, phase.region);
        status = fm_cube_add_phase(cube, &phase, error);
    }
    return status;
}

void fm_phases_free(struct fm_phase_list *phases)
{
    for (uint32_t p = 0; p < phases->count; ++p) {
        fm_free(phases->items[p].rows);
        fm_free(phases->items[p].kinds);
        fm_free(phases->items[p].waiting);
        fm_free(phases->items[p].errors);
    }
    fm_free(phases->items);
    *phases = (struct fm_phase_list){0};
}
