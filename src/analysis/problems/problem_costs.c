/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/problems/problem_costs.h"

#include "analysis/causes/caused_waits.h"
#include "analysis/causes/cost_table.h"
#include "analysis/locks/lock_holders.h"
#include "base/containers/map.h"
#include "base/containers/sort.h"
#include "cube/model/delay_kind.h"

#include <math.h>

/* What a location costs by delays. */
struct location_costs {
    int64_t *delays; /* [node]; behind them: variation; NULL: none */
    int64_t unattributed;
};

/* What a worker found. */
struct part {
    FM_VECTOR(struct fm_problem_cost) cells;
    FM_VECTOR(struct fm_lock_blame) lock_blame;
    int64_t unattributed, variation;
    uint64_t roundings;
    unsigned char apart[FM_APART];
};

struct computation {
    struct fm_formation *formation;
    struct location_costs *locations;        /* by location */
    struct part *parts;                      /* by worker */
    const struct fm_blamed_waits *blamed;    /* by location; NULL: none */
    const struct fm_sampled_causes *sampled; /* by location; NULL: none */
};

/* ---- delays ---- */

static void charge_delays(struct computation *computation, struct part *part, uint32_t location)
{
    struct fm_formation *formation = computation->formation;
    const struct fm_trace *trace = formation->analysis->trace;
    const struct fm_location *at = &trace->locations[location];
    const struct fm_caused_waits *caused = &formation->caused[location];
    struct location_costs *costs = &computation->locations[location];
    if (caused->waits.count == 0) {
        return;
    }
    costs->delays = fm_allocate(at->profile.count + 1, sizeof *costs->delays);
    for (size_t i = 0; i < caused->waits.count; ++i) {
        const struct fm_caused_wait *wait = &caused->waits.items[i];
        double cost = (double)wait->wait + wait->phi;
        if (fm_charge_of((fm_delay_kind_t)wait->delay_kind) != FM_CHARGE_DELAY) {
            continue;
        }
        if (wait->traits & FM_CAUSED_UNATTRIBUTED) {
            costs->unattributed += fm_cost_rounded(cost, formation->cost_scale);
            ++part->roundings;
            continue;
        }
        for (uint32_t p = wait->first; p < wait->end; ++p) {
            const uint32_t visit = caused->visits.items[p];
            if (visit != FM_NONE) {
                const bool is_variation = visit == at->profile.count;
                costs->delays[is_variation ? visit : fm_trace_function_visit(trace, at, visit)] +=
                    fm_cost_rounded(caused->parts.items[p] * cost, formation->cost_scale);
                ++part->roundings;
            }
        }
    }
}

static void charge_all_delays(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct computation *computation = context;
    const struct fm_trace *trace = computation->formation->analysis->trace;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        charge_delays(computation, &computation->parts[worker], l);
    }
}

/* ---- blame ---- */

_Static_assert(FM_CAUSE_KINDS <= 16, "a kind fits into the key of a cell");

/* Numbers of what is blamed for the wait states of one location. */
struct blame_rows {
    struct fm_map places;    /* (location, call path, kind) -> number */
    struct fm_map cells;     /* (place, lock) -> cell */
    struct fm_map locks;     /* lock -> number */
    struct fm_map functions; /* (location, call path) -> number */
    struct fm_map of_lock;   /* (lock, function) -> entry of `lock_blame` */
};

/* @return the number of a lock among those of the location; 0: none */
static uint32_t number_of_lock(struct blame_rows *rows, fm_lock_key_t lock)
{
    return lock == FM_NO_LOCK ? 0 : *fm_map_at(&rows->locks, lock, (uint32_t)rows->locks.count + 1);
}

static struct fm_problem_cost *cell_of(struct blame_rows *rows, struct part *part,
                                       const struct fm_blamed_part *at, fm_lock_key_t lock)
{
    const bool is_lock = at->kind == FM_CAUSE_CONTENTION;
    const uint64_t key = (uint64_t)at->location << 32 | at->callpath << 4 | at->kind;
    const uint32_t place = *fm_map_at(&rows->places, key, (uint32_t)rows->places.count);
    const uint32_t next = (uint32_t)part->cells.count;
    const uint32_t row = *fm_map_at(
        &rows->cells, (uint64_t)place << 32 | (is_lock ? number_of_lock(rows, lock) : 0), next);
    if (row == next) {
        fm_vector_push(&part->cells, ((struct fm_problem_cost){.lock = is_lock ? lock : FM_NO_LOCK,
                                                               .callpath = at->callpath,
                                                               .kind = at->kind,
                                                               .location = at->location}));
    }
    return &part->cells.items[row];
}

/* Adds what a function, or anything else, is blamed for to the waiting for a lock. */
static void blame_for_lock(struct blame_rows *rows, struct part *part,
                           const struct fm_blamed_part *at, fm_lock_key_t lock)
{
    const bool is_function = at->kind == FM_CAUSE_SERIALIZATION;
    const uint64_t key = (uint64_t)at->location << 32 | at->callpath;
    const uint32_t place =
        is_function ? *fm_map_at(&rows->functions, key, (uint32_t)rows->functions.count) : FM_NONE;
    const uint32_t next = (uint32_t)part->lock_blame.count;
    const uint32_t row =
        *fm_map_at(&rows->of_lock, (uint64_t)number_of_lock(rows, lock) << 32 | place, next);
    if (row == next) {
        fm_vector_push(&part->lock_blame,
                       ((struct fm_lock_blame){.lock = lock,
                                               .callpath = is_function ? at->callpath : FM_NONE,
                                               .location = is_function ? at->location : FM_NONE}));
    }
    part->lock_blame.items[row].ticks += at->to - at->from;
}

/* Adds the costs of what is blamed for the wait states of a location. */
static void charge_blame(const struct computation *computation, struct part *part,
                         const struct fm_blamed_waits *blamed)
{
    struct blame_rows rows = {0};
    for (size_t w = 0; w < blamed->waits.count; ++w) {
        const struct fm_blamed_wait *wait = &blamed->waits.items[w];
        for (uint32_t p = wait->first; p < wait->end; ++p) {
            const struct fm_blamed_part *at = &blamed->parts.items[p];
            int64_t cost =
                fm_cost_rounded(fm_blamed_cost(wait, at), computation->formation->cost_scale);
            ++part->roundings;
            if (at->is_for_lock) {
                blame_for_lock(&rows, part, at, wait->lock);
            }
            if (at->kind == FM_CAUSE_UNATTRIBUTED) {
                part->unattributed += cost;
                continue;
            }
            struct fm_problem_cost *cell = cell_of(&rows, part, at, wait->lock);
            cell->cost += cost;
            cell->inside += at->is_inside ? cost : 0;
        }
    }
    fm_map_free(&rows.places);
    fm_map_free(&rows.cells);
    fm_map_free(&rows.locks);
    fm_map_free(&rows.functions);
    fm_map_free(&rows.of_lock);
}

/* ---- the list of costs ---- */

static void list_location(const struct computation *computation, struct part *part, uint32_t l)
{
    const struct fm_analysis *analysis = computation->formation->analysis;
    const struct location_costs *costs = &computation->locations[l];
    const struct fm_location *location = &analysis->trace->locations[l];
    part->unattributed += costs->unattributed;
    for (uint32_t v = 0; costs->delays != NULL && v < location->profile.count; ++v) {
        const struct fm_visit_profile *node = &location->profile.items[v];
        if (costs->delays[v] > 0) {
            uint32_t kind = fm_cause_kind_of(analysis, node->region, FM_CHARGE_DELAY);
            const struct fm_sampled_cause *sampled =
                fm_sampled_cause_at(computation->sampled, l, v);
            fm_vector_push(&part->cells,
                           (struct fm_problem_cost){
                               .cost = costs->delays[v],
                               .lock = FM_NO_LOCK,
                               .callpath = node->callpath,
                               .kind = kind,
                               .location = l,
                               .sampled = sampled == NULL ? (struct fm_sampled_cause){0} : *sampled,
                           });
        }
    }
    part->variation += costs->delays == NULL ? 0 : costs->delays[location->profile.count];
    if (computation->blamed != NULL) {
        charge_blame(computation, part, &computation->blamed[l]);
    }
}

static void list_costs(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct computation *computation = context;
    const struct fm_trace *trace = computation->formation->analysis->trace;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        list_location(computation, &computation->parts[worker], l);
        fm_free(computation->locations[l].delays);
    }
}

static int compare_costs(const void *left, const void *right)
{
    const struct fm_problem_cost *a = left, *b = right;
    if (a->callpath != b->callpath) {
        return a->callpath < b->callpath ? -1 : 1;
    }
    if (a->kind != b->kind) {
        return a->kind < b->kind ? -1 : 1;
    }
    if (a->lock != b->lock) {
        return a->lock < b->lock ? -1 : 1;
    }
    return a->location < b->location ? -1 : a->location > b->location;
}

void fm_problem_costs_add_up(struct fm_problem_costs *costs)
{
    size_t kept = 0;
    fm_sort(costs->cells.items, costs->cells.count, sizeof *costs->cells.items, compare_costs);
    for (size_t i = 0; i < costs->cells.count; ++i) {
        const struct fm_problem_cost *cell = &costs->cells.items[i];
        if (kept > 0 && compare_costs(&costs->cells.items[kept - 1], cell) == 0) {
            costs->cells.items[kept - 1].cost += cell->cost;
            costs->cells.items[kept - 1].inside += cell->inside;
        } else {
            costs->cells.items[kept++] = *cell;
        }
    }
    costs->cells.count = kept;
}

static int compare_lock_blame(const void *left, const void *right)
{
    const struct fm_lock_blame *a = left, *b = right;
    if (a->lock != b->lock) {
        return a->lock < b->lock ? -1 : 1;
    }
    if (a->callpath != b->callpath) {
        return a->callpath < b->callpath ? -1 : 1;
    }
    return a->location < b->location ? -1 : a->location > b->location;
}

/* Brings the blame for the waiting for locks to process 0. */
static void collect_lock_blame(const struct computation *computation,
                               struct fm_problem_costs *costs)
{
    const struct fm_analysis *analysis = computation->formation->analysis;
    FM_VECTOR(struct fm_lock_blame) own = {0};
    for (unsigned w = 0; w < fm_engine_workers(analysis->engine); ++w) {
        struct part *part = &computation->parts[w];
        for (size_t i = 0; i < part->lock_blame.count; ++i) {
            fm_vector_push(&own, part->lock_blame.items[i]);
        }
        fm_vector_free(&part->lock_blame);
    }
    fm_team_collect_vector(analysis->team, &own, &costs->lock_blame);
    fm_vector_free(&own);
    struct fm_lock_blame *all = costs->lock_blame.items;
    size_t kept = 0;
    fm_sort(all, costs->lock_blame.count, sizeof *all, compare_lock_blame);
    for (size_t i = 0; i < costs->lock_blame.count; ++i) {
        if (kept > 0 && compare_lock_blame(&all[kept - 1], &all[i]) == 0) {
            all[kept - 1].ticks += all[i].ticks;
        } else {
            all[kept++] = all[i];
        }
    }
    costs->lock_blame.count = kept;
}

static int compare_locks(const void *left, const void *right)
{
    const struct fm_contended_lock *a = left, *b = right;
    return a->key < b->key ? -1 : a->key > b->key;
}

/* Brings what is known of the locks that are waited for to process 0. */
static void collect_locks(const struct fm_analysis *analysis, struct fm_problem_costs *costs)
{
    fm_contended_locks own = {0};
    uint32_t first, last;
    fm_engine_own(analysis->engine, &first, &last);
    for (uint32_t process = first; process < last; ++process) {
        const fm_contended_locks *locks = fm_lock_holders_locks(analysis->lock_holders, process);
        for (size_t i = 0; i < locks->count; ++i) {
            fm_vector_push(&own, locks->items[i]);
        }
    }
    fm_team_collect_vector(analysis->team, &own, &costs->locks);
    fm_vector_free(&own);
    fm_sort(costs->locks.items, costs->locks.count, sizeof *costs->locks.items, compare_locks);
}

/* Brings the costs of all workers and processes to process 0. */
static void collect(const struct computation *computation, struct fm_problem_costs *costs)
{
    const struct fm_formation *formation = computation->formation;
    struct fm_team *team = formation->analysis->team;
    FM_VECTOR(struct fm_problem_cost) own = {0};
    uint64_t sums[3] = {0};
    for (unsigned w = 0; w < fm_engine_workers(formation->analysis->engine); ++w) {
        struct part *part = &computation->parts[w];
        fm_vector_reserve(&own, part->cells.count);
        for (size_t i = 0; i < part->cells.count; ++i) {
            own.items[own.count++] = part->cells.items[i];
        }
        sums[0] += (uint64_t)part->unattributed;
        sums[1] += part->roundings;
        sums[2] += (uint64_t)part->variation;
        fm_vector_free(&part->cells);
    }
    fm_team_collect_vector(team, &own, &costs->cells);
    fm_vector_free(&own);
    fm_team_sum(team, sums, 3);
    costs->unattributed = (int64_t)sums[0];
    costs->variation = (int64_t)sums[2];
    costs->inexact = ldexp((double)sums[1], -(int)formation->cost_shift);
    fm_problem_costs_add_up(costs);
    costs->sum = costs->unattributed + costs->variation;
    for (size_t i = 0; i < costs->cells.count; ++i) {
        costs->sum += costs->cells.items[i].cost;
    }
    collect_lock_blame(computation, costs);
    if (formation->analysis->lock_holders != NULL) {
        collect_locks(formation->analysis, costs);
    }
}

/* ---- the stages ---- */

/* phi as it is if what is charged by blame passes nothing on. */
static void propagate(struct fm_formation *formation)
{
    bool stops[FM_DELAY_NONE];
    for (unsigned kind = 0; kind < FM_DELAY_NONE; ++kind) {
        stops[kind] = fm_charge_of((fm_delay_kind_t)kind) != FM_CHARGE_DELAY;
    }
    fm_propagate_without(formation, stops);
}

struct fm_problem_costs fm_problem_costs_compute(struct fm_formation *formation,
                                                 struct fm_blamed_waits *blamed)
{
    struct fm_engine *engine = formation->analysis->engine;
    struct fm_sampled_causes *sampled = fm_sampled_causes_find(formation);
    struct fm_problem_costs costs = {.is_sampled = sampled != NULL};
    if (blamed != NULL || sampled != NULL) {
        propagate(formation);
    }
    if (blamed != NULL) {
        fm_blamed_waits_complete(formation, blamed);
    }
    struct computation computation = {
        .formation = formation,
        .locations =
            fm_allocate(formation->analysis->trace->location_count, sizeof *computation.locations),
        .parts = fm_allocate_apart(fm_engine_workers(engine), sizeof *computation.parts),
        .blamed = blamed,
        .sampled = sampled,
    };
    fm_engine_run(engine, charge_all_delays, &computation);
    fm_engine_run(engine, list_costs, &computation);
    collect(&computation, &costs);
    fm_sampled_causes_free(sampled, formation->analysis->trace->location_count);
    fm_free(computation.locations);
    fm_free(computation.parts);
    return costs;
}

void fm_problem_costs_free(struct fm_problem_costs *costs)
{
    fm_vector_free(&costs->cells);
    fm_vector_free(&costs->lock_blame);
    fm_vector_free(&costs->locks);
}
