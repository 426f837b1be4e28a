/* SPDX-License-Identifier: BSD-3-Clause */
/* Expectations on problems. */
#include "cli/expectation/expectation_internal.h"

#include <string.h>

/* @return whether a problem is one that an expectation is about */
static bool matches(const struct fm_scenario_expectation *expectation, const struct fm_cube *cube,
                    const struct fm_cube_problem *problem)
{
    if (expectation->callpath != NULL &&
        (problem->callpath == FM_CUBE_NONE ||
         problem->callpath != fm_cube_find_callpath(cube, expectation->callpath))) {
        return false;
    }
    if (expectation->all_locations) {
        return true;
    }
    uint32_t location = fm_expectation_location(cube, expectation->rank, expectation->thread);
    for (uint32_t i = 0; i < problem->location_count; i++) {
        if (problem->locations[i] == location) {
            return true;
        }
    }
    return false;
}

static fm_decimal from_cost(const struct fm_cube *cube, int64_t cost)
{
    return (fm_decimal_from_ticks(1) * cost) >> cube->experiment.cost_shift;
}

/* @return FM_CAUSE_KINDS: there is no such kind */
static uint32_t kind_of(const char *name)
{
    uint32_t kind = 0;
    while (kind < FM_CAUSE_KINDS && strcmp(name, fm_cause_kind_name(kind)) != 0) {
        kind++;
    }
    return kind;
}

/* Values of the largest problem that the expectation is about. @return whether the name is one of a
 * value */
static bool find_value(const char *name, const struct fm_cube_problem *problem, fm_decimal *value)
{
    const struct fm_cube_occasion *last =
        &problem->occasions[problem->occasion_count == 0 ? 0 : problem->occasion_count - 1];
    const struct {
        const char *name;
        uint64_t ticks;
    } times[] = {
        {"begin", problem->occasions[0].begin}, {"end", last->end},
        {"there", problem->excess.there},       {"elsewhere", problem->excess.elsewhere},
        {"longest", problem->excess.longest},   {"balanced", problem->gain.balanced},
        {"removed", problem->gain.removed},     {"hold", problem->contention.hold},
        {"held", problem->contention.held},     {"waiting", problem->contention.waiting},
    };
    const struct {
        const char *name;
        uint64_t count;
    } counts[] = {
        {"locations", problem->location_count},   {"occasions", problem->occasion_count},
        {"first", problem->occasions[0].first},   {"last", last->last},
        {"count", problem->occasions[0].count},   {"symptoms", problem->symptom_count},
        {"candidates", problem->candidate_count}, {"locks", problem->contention.lock_count},
    };
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        if (strcmp(name, times[i].name) == 0) {
            *value = fm_decimal_from_ticks((int64_t)times[i].ticks);
            return true;
        }
    }
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (strcmp(name, counts[i].name) == 0) {
            *value = fm_decimal_from_integer((int64_t)counts[i].count);
            return true;
        }
    }
    return false;
}

/* @return cost of the problem's symptoms of a kind */
static int64_t symptoms_of(const struct fm_cube_problem *problem, fm_metric_t metric)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < problem->symptom_count; i++) {
        sum += problem->symptoms[i].metric == (uint32_t)metric ? problem->symptoms[i].cost : 0;
    }
    return sum;
}

fm_status_t fm_expectation_of_problem(const struct fm_scenario *scenario,
                                      const struct fm_scenario_expectation *expectation,
                                      const struct fm_cube *cube,
                                      struct fm_expectation_result *result, struct fm_error *error)
{
    const struct fm_cube_problem *largest = NULL;
    uint32_t kind = kind_of(expectation->metric);
    int64_t cost = 0;
    for (uint32_t i = cube->problem_count; i-- > 0;) {
        if (matches(expectation, cube, &cube->problems[i])) {
            largest = &cube->problems[i];
            cost += largest->kind == kind ? largest->cost : 0;
        }
    }
    result->computed = true;
    if (kind < FM_CAUSE_KINDS) {
        result->is_quotient = true;
        result->actual = from_cost(cube, cost);
        return FM_OK;
    }
    const struct fm_cube_problem none = {.kind = 0};
    if (find_value(expectation->metric, largest == NULL ? &none : largest, &result->actual)) {
        return FM_OK;
    }
    result->is_quotient = true;
    if (strcmp(expectation->metric, "error") == 0) {
        result->actual = from_cost(cube, largest == NULL ? 0 : largest->error);
        return FM_OK;
    }
    fm_metric_t metric = fm_metric_by_id(expectation->metric);
    if (metric == FM_METRIC_NONE ||
        (!fm_metric_info(metric)->is_wait_state && !fm_is_symptom_of_idle(metric))) {
        return fm_fail(error, FM_ERR_DATA, "%s:%llu: there is no value \"%.100s\"", scenario->name,
                       (unsigned long long)expectation->line, expectation->metric);
    }
    result->actual = from_cost(cube, largest == NULL ? 0 : symptoms_of(largest, metric));
    return FM_OK;
}
