/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/problems/grouping.h"

#include "analysis/problems/occasions.h"
#include "base/containers/sort.h"

#include <math.h>
#include <string.h>

/* The largest cost first; equal ones by location. */
static int compare_sizes(const void *left, const void *right)
{
    const struct fm_problem_cost *a = left, *b = right;
    if (a->cost != b->cost) {
        return a->cost > b->cost ? -1 : 1;
    }
    return a->location < b->location ? -1 : a->location > b->location;
}

static int compare_locations(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

static int compare_problems(const void *left, const void *right)
{
    const struct fm_cube_problem *a = left, *b = right;
    if (a->cost != b->cost) {
        return a->cost > b->cost ? -1 : 1;
    }
    if (a->kind != b->kind) {
        return a->kind < b->kind ? -1 : 1;
    }
    if (a->callpath != b->callpath) {
        return a->callpath < b->callpath ? -1 : 1;
    }
    return a->location_count == 0 ? 0 : compare_locations(a->locations, b->locations);
}

static struct fm_cube_problem empty_problem(uint32_t kind, uint32_t callpath)
{
    return (struct fm_cube_problem){
        .kind = kind, .callpath = callpath, .phase = FM_CUBE_NONE, .lock = FM_CUBE_NONE};
}

/* Makes a problem of the first costs of a call path, sorted by size. @return their number */
static size_t add_problem(struct fm_problem_list *list, const struct fm_problem_cost *costs,
                          size_t count, bool is_function, bool in_one_callpath)
{
    size_t end = 1;
    while (end < count && costs[end].cost >= fm_tenths_of(costs[0].cost, 1)) {
        ++end;
    }
    struct fm_cube_problem problem = empty_problem(costs[0].kind, costs[0].callpath);
    problem.locations = fm_allocate(end, sizeof *problem.locations);
    double square = 0;
    for (size_t i = 0; i < end; ++i) {
        const double part = 2 * costs[i].sampled.error * (double)costs[i].cost;
        problem.locations[problem.location_count++] = costs[i].location;
        problem.cost += costs[i].cost;
        problem.inside += costs[i].inside;
        square += part * part;
    }
    const double error = sqrt(square);
    problem.error = error < (double)problem.cost ? (int64_t)error : problem.cost;
    problem.candidate_count = costs[0].sampled.candidate_count;
    memcpy(problem.candidates, costs[0].sampled.candidates, sizeof problem.candidates);
    problem.replaced = costs[0].sampled.replaced;
    problem.is_function = is_function;
    problem.in_one_callpath = in_one_callpath;
    problem.replaced_share = costs[0].sampled.share < 1 ? costs[0].sampled.share : 1;
    fm_sort(problem.locations, end, sizeof *problem.locations, compare_locations);
    fm_vector_push(&list->items, problem);
    return end;
}

/* Adds a cost without a cause. */
static void add_rest(struct fm_problem_list *list, uint32_t kind, int64_t cost)
{
    if (cost > 0) {
        struct fm_cube_problem rest = empty_problem(kind, FM_CUBE_NONE);
        rest.cost = cost;
        fm_vector_push(&list->items, rest);
    }
}

/* Adds the costs of one location in several call paths of a function. */
static void join(struct fm_problem_cost *sum, const struct fm_problem_cost *added)
{
    const double errors =
        hypot(sum->sampled.error * (double)sum->cost, added->sampled.error * (double)added->cost);
    const int64_t cost = sum->cost + added->cost;
    sum->inside += added->inside;
    if (added->cost > sum->cost) {
        sum->sampled = added->sampled;
    }
    sum->cost = cost;
    sum->sampled.error = errors / (double)cost;
}

/* A bit of the keys of call paths. Those of functions have the line of their calls above it, if
 * they are told apart by it. */
#define ONE_CALLPATH (UINT64_C(1) << 32)

/* @return what the costs of a problem have in common: function and line, or call path */
static uint64_t key_of(const struct fm_problem_costs *costs, const struct fm_trace *trace,
                       const struct fm_problem_cost *cost)
{
    const struct fm_callpath *callpath = &trace->callpaths.items[cost->callpath];
    if (!costs->is_sampled || cost->kind != FM_CAUSE_IMBALANCE) {
        return ONE_CALLPATH + cost->callpath;
    }
    return callpath->region +
           (callpath->line == FM_NONE ? 0 : (callpath->line + UINT64_C(1)) << 33);
}

struct grouped_cost {
    uint64_t key;
    struct fm_problem_cost cost;
};

/* By the key, kind, location and call path. */
static int compare_grouped(const void *left, const void *right)
{
    const struct grouped_cost *a = left, *b = right;
    const uint64_t first[] = {a->key, a->cost.kind, a->cost.location, a->cost.callpath};
    const uint64_t second[] = {b->key, b->cost.kind, b->cost.location, b->cost.callpath};
    for (size_t i = 0; i < sizeof first / sizeof first[0]; ++i) {
        if (first[i] != second[i]) {
            return first[i] < second[i] ? -1 : 1;
        }
    }
    return 0;
}

/* The costs of a call path of a function, on all locations. */
struct path_cost {
    uint32_t callpath;
    int64_t all, largest; /* on the location where it is */
};

typedef FM_VECTOR(struct path_cost) path_vector;

/* Adds up the costs of the call paths of a function. @param row_of  call path -> row */
static path_vector find_paths(const struct grouped_cost *costs, size_t count, struct fm_map *row_of)
{
    path_vector paths = {0};
    for (size_t i = 0; i < count; ++i) {
        const uint32_t next = (uint32_t)paths.count;
        const uint32_t row = *fm_map_at(row_of, costs[i].cost.callpath, next);
        if (row == next) {
            fm_vector_push(&paths, ((struct path_cost){.callpath = costs[i].cost.callpath}));
        }
        struct path_cost *path = &paths.items[row];
        path->all += costs[i].cost.cost;
        path->largest = costs[i].cost.cost > path->largest ? costs[i].cost.cost : path->largest;
    }
    return paths;
}

/* @return the call path that costs most; of equal ones the first */
static uint32_t largest_callpath(const path_vector *paths)
{
    const struct path_cost *largest = &paths->items[0];
    for (size_t i = 1; i < paths->count; ++i) {
        const struct path_cost *at = &paths->items[i];
        if (at->all > largest->all ||
            (at->all == largest->all && at->callpath < largest->callpath)) {
            largest = at;
        }
    }
    return largest->callpath;
}

/* @return whether no location has a tenth of the largest cost in two of the call paths: the
 * function is the cause on other locations in each of them. `costs`: by location */
static bool are_apart(const struct grouped_cost *costs, size_t count, const path_vector *paths,
                      const struct fm_map *row_of)
{
    uint32_t location = FM_NONE, large = 0; /* call paths of the location with a large cost */
    for (size_t i = 0; i < count; ++i) {
        const struct fm_problem_cost *cost = &costs[i].cost;
        const struct path_cost *path = &paths->items[fm_map_get(row_of, cost->callpath)];
        large = cost->location == location ? large : 0;
        location = cost->location;
        large += cost->cost >= fm_tenths_of(path->largest, 1);
        if (large > 1) {
            return false;
        }
    }
    return true;
}

/* Makes the problems of costs with the same key and kind.
 * @param only  the call path whose costs count; FM_NONE: all do, those of `callpath` most */
static void group_costs(struct fm_problem_list *list, const struct grouped_cost *costs,
                        size_t count, uint32_t callpath, uint32_t only)
{
    FM_VECTOR(struct fm_problem_cost) group = {0};
    for (size_t i = 0; i < count; ++i) {
        if (only != FM_NONE && costs[i].cost.callpath != only) {
            continue;
        }
        if (group.count > 0 && group.items[group.count - 1].location == costs[i].cost.location) {
            join(&group.items[group.count - 1], &costs[i].cost);
        } else {
            fm_vector_push(&group, costs[i].cost);
        }
        group.items[group.count - 1].callpath = callpath;
    }
    fm_sort(group.items, group.count, sizeof *group.items, compare_sizes);
    for (size_t done = 0; done < group.count;) {
        done += add_problem(list, group.items + done, group.count - done,
                            (costs[0].key & ONE_CALLPATH) == 0, only != FM_NONE);
    }
    fm_vector_free(&group);
}

/* Makes the problems of a function, or of a call path.
 * @param is_told_apart  each call path of a function is a problem of its own */
static void group_function(struct fm_problem_list *list, const struct grouped_cost *costs,
                           size_t count, bool is_told_apart)
{
    struct fm_map row_of = {0};
    path_vector paths = find_paths(costs, count, &row_of);
    if (paths.count > 1 && (is_told_apart || are_apart(costs, count, &paths, &row_of))) {
        for (size_t i = 0; i < paths.count; ++i) {
            group_costs(list, costs, count, paths.items[i].callpath, paths.items[i].callpath);
        }
    } else {
        group_costs(list, costs, count, largest_callpath(&paths), FM_NONE);
    }
    fm_vector_free(&paths);
    fm_map_free(&row_of);
}

/* Adds the problems that are locks. */
static void add_locks(struct fm_problem_list *list, const struct fm_problem_costs *costs,
                      const struct fm_trace *trace)
{
    fm_lock_problems problems = {0};
    fm_lock_problems_group(costs, trace, &list->fates, &problems);
    for (size_t i = 0; i < problems.count; ++i) {
        struct fm_cube_problem *problem = &problems.items[i].problem;
        problem->lock = (uint32_t)list->locks.count;
        fm_vector_push(&list->locks, problems.items[i].lock);
        fm_vector_push(&list->items, *problem);
    }
    fm_vector_free(&problems);
}

/* Replaces the numbers of problems before they were sorted by those behind. */
static void renumber(struct fm_problem_list *list)
{
    uint32_t *numbers = fm_allocate(list->locks.count + 1, sizeof *numbers);
    for (size_t i = 0; i < list->items.count; ++i) {
        if (list->items.items[i].kind == FM_CAUSE_CONTENTION) {
            numbers[list->items.items[i].lock] = (uint32_t)i;
        }
    }
    for (size_t i = 0; i < list->fates.count; ++i) {
        struct fm_lock_fate *fate = &list->fates.items[i];
        fate->problem = fate->problem == FM_NONE ? FM_NONE : numbers[fate->problem];
    }
    fm_free(numbers);
}

struct fm_problem_list fm_problems_group(struct fm_problem_costs *costs,
                                         const struct fm_trace *trace)
{
    struct fm_problem_list list = {0};
    fm_locks_join(costs, trace, &list.fates, &list.members);
    FM_VECTOR(struct grouped_cost) cells = {0};
    for (size_t i = 0; i < costs->cells.count; ++i) {
        const struct fm_problem_cost *cell = &costs->cells.items[i];
        if (cell->kind == FM_CAUSE_CONTENTION) {
            continue;
        }
        fm_vector_push(&cells, ((struct grouped_cost){key_of(costs, trace, cell), *cell}));
    }
    fm_sort(cells.items, cells.count, sizeof *cells.items, compare_grouped);
    for (size_t begin = 0, end; begin < cells.count; begin = end) {
        for (end = begin + 1; end < cells.count && cells.items[end].key == cells.items[begin].key &&
                              cells.items[end].cost.kind == cells.items[begin].cost.kind;) {
            ++end;
        }
        group_function(&list, cells.items + begin, end - begin, trace->with_callsites);
    }
    fm_vector_free(&cells);
    add_locks(&list, costs, trace);
    add_rest(&list, FM_CAUSE_UNATTRIBUTED, costs->unattributed);
    add_rest(&list, FM_CAUSE_VARIATION, costs->variation);
    fm_sort(list.items.items, list.items.count, sizeof *list.items.items, compare_problems);
    renumber(&list);
    return list;
}

void fm_problem_list_free(struct fm_problem_list *list)
{
    for (size_t i = 0; i < list->items.count; ++i) {
        struct fm_cube_problem *problem = &list->items.items[i];
        for (uint32_t s = 0; s < problem->symptom_count; ++s) {
            fm_free(problem->symptoms[s].locations);
        }
        fm_free(problem->symptoms);
        fm_free(problem->locations);
    }
    fm_vector_free(&list->items);
    fm_vector_free(&list->locks);
    fm_vector_free(&list->fates);
    fm_vector_free(&list->members);
}
