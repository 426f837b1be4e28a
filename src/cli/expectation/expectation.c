/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/expectation/expectation.h"
#include "cli/expectation/expectation_internal.h"

#include <string.h>

/* Families of metrics of docs/metrics.md that need phases of the analysis which may be absent from
 * a build: an expectation on them is legal and fails. */
static bool is_family_member(const char *id)
{
    static const char *const families[] = {
        "delay",
        "interval_delay",
        "wait_",
        "critical_path",
        "critical_imbalance_impact",
        "intra_partition_imbalance",
        "inter_partition_imbalance",
        "performance_impact",
        "non_critical_path_activities",
        "imbalance",
        "efficiency",
        "parallel_efficiency",
        "communication_efficiency",
        "load_balance",
        "serialisation",
        "transfer_efficiency",
        "mpi_file_",
        "mpi_rma_sync_",
        "mpi_rma_comm_",
        "shmem",
        "armci",
        "caf",
        "omp_",
        "pthread_",
        "cuda_",
        "counter:",
        "mpi_rma_fence_partial",
    };
    static const char lower_bound[] = "_wait_for_progress_lower";
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        if (strncmp(id, families[i], strlen(families[i])) == 0) {
            return true;
        }
    }
    const size_t length = strlen(id);
    const size_t ending = strlen(lower_bound);
    return length > ending && strcmp(id + length - ending, lower_bound) == 0;
}

uint32_t fm_expectation_location(const struct fm_cube *cube, uint32_t rank, uint32_t thread)
{
    for (uint32_t i = 0; i < cube->location_count; i++) {
        if (cube->locations[i].rank == rank && cube->locations[i].thread == thread) {
            return i;
        }
    }
    return FM_CUBE_NONE;
}

/* The cells of one metric that the expectation is about. */
static int64_t sum_metric(const struct fm_cube *cube, fm_metric_t metric, uint32_t callpath,
                          uint32_t location)
{
    size_t count;
    const struct fm_cube_cell *cells = fm_cube_metric_cells(cube, metric, &count);
    int64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        if ((callpath == FM_CUBE_NONE || cells[i].callpath == callpath) &&
            (location == FM_CUBE_NONE || cells[i].location == location)) {
            sum += cells[i].value;
        }
    }
    return sum;
}

static bool is_part_of(fm_metric_t metric, fm_metric_t whole)
{
    while (metric != FM_METRIC_NONE && metric != whole) {
        metric = fm_metric_info(metric)->parent;
    }
    return metric == whole;
}

static int64_t value_of(const struct fm_cube *cube, fm_metric_t metric, uint32_t callpath,
                        uint32_t location)
{
    if (strcmp(fm_metric_info(fm_metric_root(metric))->id, "time") == 0) {
        return sum_metric(cube, metric, callpath, location);
    }
    int64_t sum = 0;
    for (int i = metric; i < FM_METRIC_COUNT; i++) {
        if (is_part_of((fm_metric_t)i, metric)) {
            sum += sum_metric(cube, (fm_metric_t)i, callpath, location);
        }
    }
    return sum;
}

#define COST_PRECISION 1000000000

static fm_decimal magnitude(fm_decimal number)
{
    return number < 0 ? -number : number;
}

/* A quotient rarely equals a decimal exactly. */
static fm_decimal tolerance_of_quotient(const struct fm_scenario_expectation *expectation)
{
    fm_decimal rounding =
        (magnitude(expectation->value) + fm_decimal_from_integer(1)) / COST_PRECISION;
    return expectation->tolerance > rounding ? expectation->tolerance : rounding;
}

static fm_status_t compare_severity(const struct fm_scenario *scenario,
                                    const struct fm_scenario_expectation *expectation,
                                    const struct fm_cube *cube,
                                    struct fm_expectation_result *result, struct fm_error *error)
{
    fm_metric_t metric = fm_metric_by_id(expectation->metric);
    if (metric == FM_METRIC_NONE) {
        return is_family_member(expectation->metric)
                   ? FM_OK
                   : fm_fail(error, FM_ERR_DATA, "%s:%llu: there is no metric \"%.100s\"",
                             scenario->name, (unsigned long long)expectation->line,
                             expectation->metric);
    }
    result->computed = true;
    uint32_t callpath = FM_CUBE_NONE;
    uint32_t location = FM_CUBE_NONE;
    bool exists = true;
    if (expectation->callpath != NULL) {
        callpath = fm_cube_find_callpath(cube, expectation->callpath);
        exists = callpath != FM_CUBE_NONE;
    }
    if (!expectation->all_locations) {
        location = fm_expectation_location(cube, expectation->rank, expectation->thread);
        exists = exists && location != FM_CUBE_NONE;
    }
    int64_t value = exists ? value_of(cube, metric, callpath, location) : 0;
    fm_unit_t unit = fm_metric_info(metric)->unit;
    result->is_quotient = unit == FM_UNIT_COST;
    if (result->is_quotient) {
        result->actual = (fm_decimal_from_ticks(1) * value) >> cube->experiment.cost_shift;
    } else {
        result->actual =
            unit == FM_UNIT_TICKS ? fm_decimal_from_ticks(value) : fm_decimal_from_integer(value);
    }
    return FM_OK;
}

fm_status_t fm_expectation_compare(const struct fm_scenario *scenario,
                                   const struct fm_scenario_expectation *expectation,
                                   const struct fm_cube *cube, struct fm_expectation_result *result,
                                   struct fm_error *error)
{
    fm_status_t status = FM_OK;
    *result = (struct fm_expectation_result){0};
    switch (expectation->subject) {
    case FM_EXPECT_PREDICTED:
        if (strcmp(expectation->metric, "run_time") == 0) {
            result->computed = true;
            result->actual =
                fm_decimal_from_ticks((int64_t)(cube->experiment.end - cube->experiment.begin));
            break;
        }
        status = compare_severity(scenario, expectation, cube, result, error);
        break;
    case FM_EXPECT_SEVERITY:
        status = compare_severity(scenario, expectation, cube, result, error);
        break;
    case FM_EXPECT_PHASE:
        status = fm_expectation_of_phase(scenario, expectation, cube, result, error);
        break;
    case FM_EXPECT_MATRIX:
        status = fm_expectation_of_matrix(scenario, expectation, cube, result, error);
        break;
    case FM_EXPECT_PROBLEM:
        status = fm_expectation_of_problem(scenario, expectation, cube, result, error);
        break;
    }
    fm_decimal tolerance =
        result->is_quotient ? tolerance_of_quotient(expectation) : expectation->tolerance;
    result->holds = status == FM_OK && result->computed &&
                    magnitude(result->actual - expectation->value) <= tolerance;
    return status;
}
