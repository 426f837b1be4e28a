/* SPDX-License-Identifier: BSD-3-Clause */
/* Backward amortization. The forward pass moves a call that ended too early, and all that follows
 * it: an interval in front of the call becomes longer by the whole jump. The backward pass moves
 * what stands before the jump later, too, by an amount that falls to zero at the rate at which the
 * forward pass returns to measured times. An event on which others depend moves no further than to
 * the earliest of them: its limit, which follows from the forward pass alone, since no event moves
 * to an earlier time afterwards. So each location is independent of all others. */
#include "analysis/clocks/logical_clock.h"

#include "analysis/dependencies/dependencies.h"
#include "analysis/replay/replay.h"
#include "analysis/replay/steps.h"
#include "base/memory.h"
#include "engine/engine.h"

/* The latest times that events of a location may have: UINT64_MAX for any. */
struct limits {
    _Atomic(uint64_t) *enter; /* [activity] */
    _Atomic(uint64_t) *leave; /* [activity] */
    _Atomic(uint64_t) *marks; /* [mark] */
};

struct repair {
    const struct fm_trace *trace;
    const struct fm_dependencies *dependencies;
    const struct fm_replay *forward;
    struct limits *limits; /* [location] */
    struct fm_time_map *maps;
};

static _Atomic(uint64_t) *new_limits(size_t count)
{
    _Atomic(uint64_t) *limits = fm_allocate(count, sizeof *limits);
    for (size_t i = 0; i < count; i++) {
        atomic_init(&limits[i], UINT64_MAX);
    }
    return limits;
}

static void lower(_Atomic(uint64_t) *limit, uint64_t time)
{
    uint64_t seen = atomic_load_explicit(limit, memory_order_relaxed);
    while (time < seen && !atomic_compare_exchange_weak_explicit(
                              limit, &seen, time, memory_order_relaxed, memory_order_relaxed)) {
    }
}

/* ---- limits ---- */

/* The event at `t`, which follows from `source`, must not be later than `time`. */
static void limit(const struct repair *repair, struct fm_awaited source, uint64_t t, uint64_t time)
{
    const struct fm_location *location = &repair->trace->locations[source.place];
    const struct limits *limits = &repair->limits[source.place];
    if (source.kind == FM_AWAITED_ENTER) {
        const uint64_t behind = t - location->enter.items[source.index];
        lower(&limits->enter[source.index], time > behind ? time - behind : 0);
    } else if (source.kind == FM_AWAITED_LEAVE) {
        lower(&limits->leave[source.index], time + (location->leave.items[source.index] - t));
    } else {
        lower(&limits->marks[fm_mark_position(&repair->dependencies->marks[source.place],
                                              source.index)],
              time);
    }
}

static bool binds(const struct fm_dependency *dependency)
{
    return !dependency->dropped && (fm_obligatory_rules >> dependency->rule & 1) != 0;
}

static void limit_sources_of(const struct repair *repair, uint32_t l,
                             const fm_dependency_vector *dependencies, bool is_of_marks)
{
    const struct fm_new_times *times = &repair->forward->locations[l];
    for (size_t d = 0; d < dependencies->count; d++) {
        const struct fm_dependency *dependency = &dependencies->items[d];
        if (binds(dependency) && dependency->source.kind != FM_AWAITED_JUNCTION &&
            dependency->source.place != l) {
            const uint32_t at = dependency->activity;
            limit(repair, dependency->source, dependency->t,
                  is_of_marks ? times->marks[fm_mark_position(&repair->dependencies->marks[l], at)]
                              : times->leave[at]);
        }
    }
}

static void limit_sources(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    const struct repair *repair = context;
    for (uint32_t l = fm_trace_first_location(repair->trace, first);
         l < fm_trace_first_location(repair->trace, last); l++) {
        limit_sources_of(repair, l, &repair->dependencies->of_location[l], false);
        limit_sources_of(repair, l, &repair->dependencies->of_marks[l], true);
    }
}

/* ---- limits of junctions ---- */

/* The earliest calls that depend on a junction, of two locations: a location does not limit itself,
 * since its later events move as its earlier ones do. */
struct junction_limit {
    uint64_t times[2];
    uint32_t locations[2];
};

static void add_limit(struct junction_limit *limit, uint64_t time, uint32_t location)
{
    if (location == limit->locations[0]) {
        limit->times[0] = time < limit->times[0] ? time : limit->times[0];
    } else if (time < limit->times[0]) {
        limit->times[1] = limit->times[0];
        limit->locations[1] = limit->locations[0];
        limit->times[0] = time;
        limit->locations[0] = location;
    } else if (time < limit->times[1]) {
        limit->times[1] = time;
        limit->locations[1] = location;
    }
}

static struct junction_limit **limit_junctions(const struct repair *repair)
{
    const struct fm_dependencies *dependencies = repair->dependencies;
    struct junction_limit **limits = fm_allocate(dependencies->table_count, sizeof *limits);
    for (unsigned t = 0; t < dependencies->table_count; t++) {
        const size_t count = dependencies->tables[t].junctions.count;
        limits[t] = fm_allocate(count, sizeof **limits);
        for (size_t j = 0; j < count; j++) {
            limits[t][j] = (struct junction_limit){{UINT64_MAX, UINT64_MAX}, {FM_NONE, FM_NONE}};
        }
    }
    for (uint32_t l = 0; l < dependencies->location_count; l++) {
        const fm_dependency_vector *of_calls = &dependencies->of_location[l];
        for (size_t d = 0; d < of_calls->count; d++) {
            const struct fm_dependency *dependency = &of_calls->items[d];
            if (binds(dependency) && dependency->source.kind == FM_AWAITED_JUNCTION) {
                add_limit(&limits[dependency->source.place][dependency->source.index],
                          repair->forward->locations[l].leave[dependency->activity], l);
            }
        }
    }
    return limits;
}

/* Inputs of a junction are events, or junctions of the same table that were found before it. */
static void limit_inputs(const struct repair *repair)
{
    struct junction_limit **limits = limit_junctions(repair);
    for (unsigned t = 0; t < repair->dependencies->table_count; t++) {
        const struct fm_junction_table *table = &repair->dependencies->tables[t];
        for (size_t j = table->junctions.count; j-- > 0;) {
            const struct fm_junction *junction = &table->junctions.items[j];
            const struct junction_limit *of = &limits[t][j];
            for (uint32_t i = 0; i < junction->input_count; i++) {
                const struct fm_awaited input = table->inputs.items[junction->first_input + i];
                if (input.kind == FM_AWAITED_JUNCTION) {
                    add_limit(&limits[t][input.index], of->times[0], of->locations[0]);
                    add_limit(&limits[t][input.index], of->times[1], of->locations[1]);
                } else {
                    limit(repair, input,
                          fm_awaited_time(repair->trace, repair->dependencies, input),
                          of->times[of->locations[0] == input.place]);
                }
            }
        }
        fm_free(limits[t]);
    }
    fm_free(limits);
}

/* ---- the backward pass ---- */

/* A step of a location. */
struct repaired_step {
    uint64_t old, new;
    uint64_t limit;
};

typedef FM_VECTOR(struct repaired_step) repaired_steps;

static void list_steps(const struct repair *repair, uint32_t l, repaired_steps *list)
{
    static const fm_polling_vector no_pollings;
    const struct fm_new_times *times = &repair->forward->locations[l];
    const struct limits *limits = &repair->limits[l];
    struct fm_steps steps = {0};
    struct fm_step step;
    list->count = 0;
    fm_steps_begin(&steps, &repair->trace->locations[l], &no_pollings,
                   &repair->dependencies->marks[l]);
    while (fm_steps_next(&steps, &step)) {
        struct repaired_step next = {.old = step.time};
        switch (step.kind) {
        case FM_STEP_ENTER:
            next.new = times->enter[step.first];
            next.limit = limits->enter[step.first];
            break;
        case FM_STEP_LEAVE:
            next.new = times->leave[step.first];
            next.limit = limits->leave[step.first];
            break;
        case FM_STEP_MARK:
            next.new = times->marks[step.first];
            next.limit = limits->marks[step.first];
            break;
        }
        fm_vector_push(list, next);
    }
    fm_steps_free(&steps);
}

static void distribute_jumps(repaired_steps *list)
{
    for (size_t i = list->count; i-- > 1;) {
        const struct repaired_step *next = &list->items[i];
        struct repaired_step *step = &list->items[i - 1];
        const uint64_t moved = next->new - next->old;
        const uint64_t fall = (next->old - step->old) >> FM_RETURN_SHIFT;
        uint64_t wanted = step->old + (moved > fall ? moved - fall : 0);
        wanted = wanted < step->limit ? wanted : step->limit;
        step->new = wanted > step->new ? wanted : step->new;
    }
}

/* Steps at one time become one knot, at the latest of their new times. Knots between two others of
 * the same shift say nothing. */
static void make_map(const repaired_steps *list, struct fm_time_map *map)
{
    bool moves = false;
    for (size_t i = 0; i < list->count; i++) {
        const struct fm_time_knot knot = {list->items[i].old, list->items[i].new};
        const size_t count = map->knots.count;
        struct fm_time_knot *knots = map->knots.items;
        moves |= knot.old != knot.new;
        if (count > 0 && knots[count - 1].old == knot.old) {
            knots[count - 1].new =
                knot.new > knots[count - 1].new ? knot.new : knots[count - 1].new;
        } else if (count > 1 &&
                   knots[count - 1].new - knots[count - 1].old == knot.new - knot.old &&
                   knots[count - 2].new - knots[count - 2].old == knot.new - knot.old) {
            knots[count - 1] = knot;
        } else {
            fm_vector_push(&map->knots, knot);
        }
    }
    if (!moves) {
        fm_vector_free(&map->knots);
    }
    fm_vector_trim(&map->knots);
}

static void repair_locations(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    const struct repair *repair = context;
    repaired_steps list = {0};
    for (uint32_t l = fm_trace_first_location(repair->trace, first);
         l < fm_trace_first_location(repair->trace, last); l++) {
        list_steps(repair, l, &list);
        distribute_jumps(&list);
        make_map(&list, &repair->maps[l]);
    }
    fm_vector_free(&list);
}

/* ---- the whole ---- */

static void open_limits(struct repair *repair)
{
    repair->limits = fm_allocate(repair->trace->location_count, sizeof *repair->limits);
    for (uint32_t l = 0; l < repair->trace->location_count; l++) {
        const size_t calls = repair->trace->locations[l].enter.count;
        repair->limits[l].enter = new_limits(calls);
        repair->limits[l].leave = new_limits(calls);
        repair->limits[l].marks = new_limits(repair->dependencies->marks[l].count);
    }
}

static void close_limits(struct repair *repair)
{
    for (uint32_t l = 0; l < repair->trace->location_count; l++) {
        fm_free(repair->limits[l].enter);
        fm_free(repair->limits[l].leave);
        fm_free(repair->limits[l].marks);
    }
    fm_free(repair->limits);
}

void fm_logical_clock(const struct fm_detail *detail, unsigned workers, struct fm_time_map *maps)
{
    struct fm_replay *forward = fm_replay_repair(detail, workers);
    struct repair repair = {
        .trace = detail->trace,
        .dependencies = detail->dependencies,
        .forward = forward,
        .maps = maps,
    };
    struct fm_engine *engine = fm_replay_engine(detail->trace, workers);
    open_limits(&repair);
    fm_engine_run(engine, limit_sources, &repair);
    limit_inputs(&repair);
    fm_engine_run(engine, repair_locations, &repair);
    close_limits(&repair);
    fm_engine_free(engine);
    fm_replay_free(forward);
}
