/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/problems/lock_problems.h"

#include "analysis/problems/occasions.h"
#include "base/containers/keyed_sort.h"
#include "base/containers/map.h"
#include "base/containers/search.h"
#include "base/containers/sort.h"

#include <string.h>

/* Calls with less than this part of a problem's cost are not named. */
#define NAMED_PART 10

const struct fm_lock_fate *fm_lock_fate_of(const struct fm_lock_fate *fates, size_t count,
                                           fm_lock_key_t lock)
{
    const size_t place = count == 0 ? 0 : fm_count_below(&fates->lock, count, sizeof *fates, lock);
    return place < count && fates[place].lock == lock ? &fates[place] : NULL;
}

/* ---- locks that join a function ---- */

/* Orders call paths by the names of their regions, from the root on: their numbers depend on the
 * order of the archive's definitions. */
static int compare_paths(const struct fm_trace *trace, uint32_t a, uint32_t b)
{
    if (a == b || a == FM_NONE || b == FM_NONE) {
        return a == b ? 0 : (a == FM_NONE ? -1 : 1);
    }
    const struct fm_callpath *left = &trace->callpaths.items[a];
    const struct fm_callpath *right = &trace->callpaths.items[b];
    uint32_t depths[2] = {0, 0};
    for (uint32_t at = left->parent; at != FM_NONE; at = trace->callpaths.items[at].parent) {
        depths[0]++;
    }
    for (uint32_t at = right->parent; at != FM_NONE; at = trace->callpaths.items[at].parent) {
        depths[1]++;
    }
    if (depths[0] != depths[1]) { /* of a path and one below it, the shorter one comes first */
        const int order = depths[0] > depths[1] ? compare_paths(trace, left->parent, b)
                                                : compare_paths(trace, a, right->parent);
        return order != 0 ? order : (depths[0] > depths[1] ? 1 : -1);
    }
    const int order = compare_paths(trace, left->parent, right->parent);
    return order != 0
               ? order
               : strcmp(trace->regions[left->region].name, trace->regions[right->region].name);
}

/* What a function is blamed for on all locations. */
struct function_blame {
    const struct fm_lock_blame *first;
    size_t count;
    uint64_t ticks;
};

/* @return the blame for the function of the first of some rows */
static struct function_blame function_at(const struct fm_lock_blame *rows, size_t count)
{
    struct function_blame function = {.first = rows};
    while (function.count < count && rows[function.count].callpath == rows[0].callpath) {
        function.ticks += rows[function.count++].ticks;
    }
    return function;
}

/* Finds the location that is blamed most in a function, and all that are. */
static void add_members(const struct function_blame *function, struct fm_lock_fate *fate,
                        fm_lock_members *members)
{
    const struct fm_lock_blame *most = function->first;
    for (size_t i = 0; i < function->count; i++) {
        const struct fm_lock_blame *row = &function->first[i];
        most = row->ticks > most->ticks ? row : most;
        fm_vector_push(members, ((struct fm_lock_member){row->lock, row->location, 0}));
    }
    fate->callpath = most->callpath;
    fate->location = most->location;
}

/* @return what becomes of a lock. @param blame  for the waiting for it */
static struct fm_lock_fate decide(const struct fm_trace *trace, const struct fm_lock_blame *blame,
                                  size_t count, fm_lock_members *members)
{
    struct fm_lock_fate fate = {
        .lock = blame[0].lock, .callpath = FM_NONE, .location = FM_NONE, .problem = FM_NONE};
    struct function_blame most = {0};
    uint64_t all = 0, by_functions = 0;
    for (size_t i = 0; i < count;) {
        const struct function_blame function = function_at(blame + i, count - i);
        i += function.count;
        all += function.ticks;
        if (function.first->callpath == FM_NONE) {
            continue;
        }
        by_functions += function.ticks;
        if (most.count == 0 || function.ticks > most.ticks ||
            (function.ticks == most.ticks &&
             compare_paths(trace, function.first->callpath, most.first->callpath) < 0)) {
            most = function;
        }
    }
    if (by_functions > all - by_functions) {
        add_members(&most, &fate, members);
    }
    return fate;
}

uint32_t fm_lock_fate_location(const struct fm_lock_fate *fate,
                               const struct fm_lock_member *members, size_t count,
                               uint32_t location)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct fm_lock_member *member = &members[middle];
        if (member->lock < fate->lock ||
            (member->lock == fate->lock && member->location < location)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const bool is_member =
        low < count && members[low].lock == fate->lock && members[low].location == location;
    return is_member ? location : fate->location;
}

void fm_locks_join(struct fm_problem_costs *costs, const struct fm_trace *trace,
                   fm_lock_fates *fates, fm_lock_members *members)
{
    const struct fm_lock_blame *blame = costs->lock_blame.items;
    bool joins = false;
    for (size_t begin = 0, end; begin < costs->lock_blame.count; begin = end) {
        for (end = begin + 1;
             end < costs->lock_blame.count && blame[end].lock == blame[begin].lock;) {
            end++;
        }
        fm_vector_push(fates, decide(trace, blame + begin, end - begin, members));
    }
    for (size_t i = 0; i < costs->cells.count; i++) {
        struct fm_problem_cost *cell = &costs->cells.items[i];
        const struct fm_lock_fate *fate =
            cell->kind == FM_CAUSE_CONTENTION
                ? fm_lock_fate_of(fates->items, fates->count, cell->lock)
                : NULL;
        if (fate != NULL && fate->callpath != FM_NONE) {
            cell->kind = FM_CAUSE_SERIALIZATION;
            cell->callpath = fate->callpath;
            cell->location =
                fm_lock_fate_location(fate, members->items, members->count, cell->location);
            cell->lock = FM_NO_LOCK;
            joins = true;
        }
    }
    if (joins) {
        fm_problem_costs_add_up(costs);
    }
}

/* ---- problems that are locks ---- */

/* A lock and what its calls cost. */
struct lock_cost {
    const struct fm_contended_lock *lock;
    uint64_t group; /* of locks that can be one problem */
    int64_t cost;
    uint64_t waiting;
};

typedef FM_VECTOR(struct lock_cost) lock_costs;

static const struct fm_contended_lock *find_lock(const struct fm_problem_costs *costs,
                                                 fm_lock_key_t key)
{
    const struct fm_contended_lock *locks = costs->locks.items;
    return &locks[fm_count_below(&locks->key, costs->locks.count, sizeof *locks, key)];
}

static bool is_left(const struct fm_problem_cost *cell)
{
    return cell->kind == FM_CAUSE_CONTENTION;
}

/* Adds up the costs of each lock, and the waiting for it. */
static lock_costs list_costs(const struct fm_problem_costs *costs)
{
    lock_costs list = {0};
    struct fm_map rows = {0};
    for (size_t i = 0; i < costs->cells.count; i++) {
        const struct fm_problem_cost *cell = &costs->cells.items[i];
        if (!is_left(cell)) {
            continue;
        }
        const uint32_t next = (uint32_t)list.count;
        const uint32_t row = *fm_map_at(&rows, cell->lock, next);
        if (row == next) {
            const struct fm_contended_lock *lock = find_lock(costs, cell->lock);
            const bool is_of_window = lock->paradigm == FM_PARADIGM_MPI && lock->window != FM_NONE;
            fm_vector_push(&list,
                           ((struct lock_cost){.lock = lock,
                                               .group = is_of_window ? FM_ALL_LOCKS | lock->window
                                                                     : lock->key}));
        }
        list.items[row].cost += cell->cost;
    }
    for (size_t i = 0; i < costs->lock_blame.count; i++) {
        const uint32_t row = fm_map_get(&rows, costs->lock_blame.items[i].lock);
        if (row != FM_MAP_ABSENT) {
            list.items[row].waiting += costs->lock_blame.items[i].ticks;
        }
    }
    fm_map_free(&rows);
    return list;
}

/* By group; the largest cost first. */
static int compare_lock_costs(const void *left, const void *right)
{
    const struct lock_cost *a = left, *b = right;
    if (a->group != b->group) {
        return a->group < b->group ? -1 : 1;
    }
    if (a->cost != b->cost) {
        return a->cost > b->cost ? -1 : 1;
    }
    return a->lock->key < b->lock->key ? -1 : a->lock->key > b->lock->key;
}

static int compare_holds(const void *left, const void *right)
{
    const struct lock_cost *a = left, *b = right;
    return a->lock->hold < b->lock->hold ? -1 : a->lock->hold > b->lock->hold;
}

/* @return the median of the holds of several locks: that of their medians, each as often as the
 * lock has epochs. Changes the order of the locks. */
static uint64_t median_hold(struct lock_cost *locks, size_t count)
{
    uint64_t epochs = 0, before = 0;
    for (size_t i = 0; i < count; i++) {
        epochs += locks[i].lock->epochs;
    }
    fm_sort(locks, count, sizeof *locks, compare_holds);
    size_t i = 0;
    while (i + 1 < count && before + locks[i].lock->epochs <= (epochs - 1) / 2) {
        before += locks[i++].lock->epochs;
    }
    return locks[i].lock->hold;
}

static int compare_numbers(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* What a call path, or a function in all of its call paths, costs. */
struct place_cost {
    int64_t cost;
    uint32_t callpath;
};

/* The largest cost first; of equal ones the first call path. */
static int compare_places(const void *left, const void *right)
{
    const struct place_cost *a = left, *b = right;
    if (a->cost != b->cost) {
        return a->cost > b->cost ? -1 : 1;
    }
    return a->callpath < b->callpath ? -1 : a->callpath > b->callpath;
}

typedef FM_VECTOR(struct place_cost) place_costs;

/* Names the call path that costs most, and the functions that do. */
static void add_places(const struct fm_trace *trace, place_costs *paths,
                       struct fm_cube_problem *problem)
{
    place_costs functions = {0};
    struct fm_map rows = {0};
    fm_sort(paths->items, paths->count, sizeof *paths->items, compare_places);
    problem->callpath = paths->items[0].callpath;
    for (size_t i = 0; i < paths->count; i++) {
        const uint32_t region = trace->callpaths.items[paths->items[i].callpath].region;
        const uint32_t next = (uint32_t)functions.count;
        const uint32_t row = *fm_map_at(&rows, region, next);
        if (row == next) {
            fm_vector_push(&functions, ((struct place_cost){0, paths->items[i].callpath}));
        }
        functions.items[row].cost += paths->items[i].cost;
    }
    fm_sort(functions.items, functions.count, sizeof *functions.items, compare_places);
    for (size_t i = 0; i < functions.count && i < FM_CUBE_HELD_IN; i++) {
        if (i == 0 || functions.items[i].cost >= problem->cost / NAMED_PART) {
            problem->contention.held_in[problem->contention.held_in_count++] =
                functions.items[i].callpath;
        }
    }
    fm_vector_free(&functions);
    fm_map_free(&rows);
}

/* Fills in what the cells of a problem tell. @param numbers  [i].value: cell, by call path */
static void add_cells(const struct fm_problem_costs *costs, const struct fm_trace *trace,
                      const struct fm_keyed *numbers, size_t count, struct fm_cube_problem *problem)
{
    FM_VECTOR(uint32_t) locations = {0};
    place_costs paths = {0};
    for (size_t i = 0; i < count; i++) {
        const struct fm_problem_cost *cell = &costs->cells.items[numbers[i].value];
        problem->cost += cell->cost;
        fm_vector_push(&locations, cell->location);
        if (paths.count == 0 || paths.items[paths.count - 1].callpath != cell->callpath) {
            fm_vector_push(&paths, ((struct place_cost){0, cell->callpath}));
        }
        paths.items[paths.count - 1].cost += cell->cost;
    }
    fm_sort(locations.items, locations.count, sizeof *locations.items, compare_numbers);
    problem->locations = fm_allocate(locations.count, sizeof *problem->locations);
    for (size_t i = 0; i < locations.count; i++) {
        if (i == 0 || locations.items[i] != locations.items[i - 1]) {
            problem->locations[problem->location_count++] = locations.items[i];
        }
    }
    add_places(trace, &paths, problem);
    problem->inside = problem->cost;
    fm_vector_free(&locations);
    fm_vector_free(&paths);
}

/* Fills in what the cells of all problems tell. */
static void add_all_cells(const struct fm_problem_costs *costs, const struct fm_trace *trace,
                          const fm_lock_fates *fates, fm_lock_problems *problems)
{
    FM_VECTOR(struct fm_keyed) cells = {0}; /* key: number of the problem */
    for (size_t i = 0; i < costs->cells.count; i++) {
        const struct fm_problem_cost *cell = &costs->cells.items[i];
        if (is_left(cell)) {
            const struct fm_lock_fate *fate =
                fm_lock_fate_of(fates->items, fates->count, cell->lock);
            fm_vector_push(&cells, ((struct fm_keyed){fate->problem, (uint32_t)i}));
        }
    }
    fm_keyed_sort(cells.items, cells.count, NULL);
    for (size_t begin = 0, end; begin < cells.count; begin = end) {
        for (end = begin + 1;
             end < cells.count && cells.items[end].key == cells.items[begin].key;) {
            end++;
        }
        add_cells(costs, trace, cells.items + begin, end - begin,
                  &problems->items[cells.items[begin].key].problem);
    }
    fm_vector_free(&cells);
}

/* Makes a problem of some locks, without what its cells tell. */
static void add_problem(struct lock_cost *locks, size_t count, fm_lock_fates *fates,
                        fm_lock_problems *problems)
{
    const uint32_t number = (uint32_t)problems->count;
    struct fm_lock_problem made = {.problem = {.kind = FM_CAUSE_CONTENTION,
                                               .phase = FM_CUBE_NONE,
                                               .lock = FM_CUBE_NONE,
                                               .contention.lock_count = (uint32_t)count},
                                   .lock = *locks[0].lock};
    for (size_t i = 0; i < count; i++) {
        made.problem.contention.waiting += locks[i].waiting;
        made.problem.contention.held += locks[i].lock->held;
        const struct fm_lock_fate *fate =
            fm_lock_fate_of(fates->items, fates->count, locks[i].lock->key);
        fates->items[fate - fates->items].problem = number;
    }
    made.problem.contention.hold = median_hold(locks, count);
    fm_vector_push(problems, made);
}

void fm_lock_problems_group(const struct fm_problem_costs *costs, const struct fm_trace *trace,
                            fm_lock_fates *fates, fm_lock_problems *problems)
{
    lock_costs list = list_costs(costs);
    fm_sort(list.items, list.count, sizeof *list.items, compare_lock_costs);
    for (size_t begin = 0, end; begin < list.count; begin = end) {
        for (end = begin + 1; end < list.count &&
                              list.items[end].group == list.items[begin].group &&
                              list.items[end].cost >= fm_tenths_of(list.items[begin].cost, 1);) {
            end++;
        }
        add_problem(list.items + begin, end - begin, fates, problems);
    }
    add_all_cells(costs, trace, fates, problems);
    fm_vector_free(&list);
}
