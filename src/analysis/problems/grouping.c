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
                          size_t count)
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
        square += part * part;
    }
    const double error = sqrt(square);
    problem.error = error < (double)problem.cost ? (int64_t)error : problem.cost;
    problem.candidate_count = costs[0].sampled.candidate_count;
    memcpy(problem.candidates, costs[0].sampled.candidates, sizeof problem.candidates);
    problem.replaced = costs[0].sampled.replaced;
    problem.stands_for_callees = costs[0].sampled.is_function;
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

struct fm_problem_list fm_problems_group(const struct fm_problem_costs *costs)
{
    struct fm_problem_list list = {0};
    FM_VECTOR(struct fm_problem_cost) group = {0};
    for (size_t begin = 0, end; begin < costs->cells.count; begin = end) {
        const struct fm_problem_cost *first = &costs->cells.items[begin];
        group.count = 0;
        for (end = begin;
             end < costs->cells.count && costs->cells.items[end].callpath == first->callpath &&
             costs->cells.items[end].kind == first->kind;
             ++end) {
            fm_vector_push(&group, costs->cells.items[end]);
        }
        fm_sort(group.items, group.count, sizeof *group.items, compare_sizes);
        for (size_t done = 0; done < group.count;) {
            done += add_problem(&list, group.items + done, group.count - done);
        }
    }
    fm_vector_free(&group);
    add_rest(&list, FM_CAUSE_UNATTRIBUTED, costs->unattributed);
    add_rest(&list, FM_CAUSE_VARIATION, costs->variation);
    fm_sort(list.items.items, list.items.count, sizeof *list.items.items, compare_problems);
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
}
