/* SPDX-License-Identifier: BSD-3-Clause */
/* Expectations on phases and matrices. */
#include "cli/expectation/expectation_internal.h"
#include "diagnosis/efficiency/efficiency.h"

#include <math.h>
#include <string.h>

static fm_status_t no_such_value(const struct fm_scenario *scenario,
                                 const struct fm_scenario_expectation *expectation,
                                 struct fm_error *error)
{
    return fm_fail(error, FM_ERR_DATA, "%s:%llu: there is no value \"%.100s\"", scenario->name,
                   (unsigned long long)expectation->line, expectation->metric);
}

static fm_decimal from_double(double value)
{
    return (fm_decimal)(value * (double)fm_decimal_from_integer(1));
}

/* @return the wait state of this name, or FM_METRIC_NONE */
static fm_metric_t wait_state(const char *id)
{
    fm_metric_t metric = fm_metric_by_id(id);
    return metric != FM_METRIC_NONE && fm_metric_info(metric)->is_wait_state ? metric
                                                                             : FM_METRIC_NONE;
}

/* ---- phases ---- */

static const struct fm_cube_phase *find_phase(const struct fm_cube *cube, const char *region)
{
    for (uint32_t i = 0; region != NULL && i < cube->phase_count; i++) {
        if (strcmp(cube->regions[cube->phases[i].region].name, region) == 0) {
            return &cube->phases[i];
        }
    }
    return NULL;
}

static uint64_t waiting_of(const struct fm_cube_phase *phase, uint32_t row, fm_metric_t metric)
{
    for (uint32_t k = 0; k < phase->kind_count; k++) {
        if (phase->kinds[k] == (uint32_t)metric) {
            return phase->waiting[(size_t)row * phase->kind_count + k];
        }
    }
    return 0;
}

/* Adds up the iterations of an expectation. @return whether there are any */
static bool select_iterations(const struct fm_cube_phase *phase,
                              const struct fm_scenario_expectation *expectation, fm_metric_t metric,
                              struct fm_cube_iteration *sum, uint64_t *waiting)
{
    bool found = false;
    *waiting = 0;
    for (uint32_t i = 0; phase != NULL && i < phase->row_count; i++) {
        if (!expectation->all_iterations && phase->rows[i].first != expectation->iteration) {
            continue;
        }
        if (found) {
            fm_cube_iteration_add(sum, &phase->rows[i]);
        } else {
            *sum = phase->rows[i];
        }
        *waiting += waiting_of(phase, i, metric);
        found = true;
    }
    return found;
}

fm_status_t fm_expectation_of_phase(const struct fm_scenario *scenario,
                                    const struct fm_scenario_expectation *expectation,
                                    const struct fm_cube *cube,
                                    struct fm_expectation_result *result, struct fm_error *error)
{
    struct fm_cube_iteration sum = {0};
    uint64_t waiting;
    fm_metric_t metric = wait_state(expectation->metric);
    const struct fm_cube_phase *phase = find_phase(cube, expectation->callpath);
    bool found = select_iterations(phase, expectation, metric, &sum, &waiting);
    struct fm_efficiency efficiency = fm_efficiency_of_iteration(cube, &sum);
    const struct {
        const char *name;
        uint64_t ticks;
    } times[] = {
        {"begin", sum.begin},
        {"end", sum.end},
        {"duration", sum.duration},
        {"time", sum.time},
        {"computation", sum.computation},
        {"longest_computation", sum.longest_computation},
        {"waiting", sum.waiting},
    };
    const struct {
        const char *name;
        double value;
    } quotients[] = {
        {"imbalance", found ? fm_cube_iteration_imbalance(&sum) / FM_SCENARIO_TICKS_PER_UNIT : 0},
        {"parallel_efficiency", efficiency.parallel},
        {"load_balance", efficiency.load_balance},
        {"communication_efficiency", efficiency.communication},
    };
    const struct {
        const char *name;
        uint64_t count;
    } counts[] = {{"iterations", sum.count}, {"locations", sum.locations}};
    result->computed = true;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        if (strcmp(expectation->metric, times[i].name) == 0) {
            result->actual = fm_decimal_from_ticks((int64_t)times[i].ticks);
            return FM_OK;
        }
    }
    for (size_t i = 0; i < sizeof quotients / sizeof *quotients; i++) {
        if (strcmp(expectation->metric, quotients[i].name) == 0) {
            result->is_quotient = true;
            /* Without computation there is no efficiency. */
            result->actual = isnan(quotients[i].value) ? 0 : from_double(quotients[i].value);
            return FM_OK;
        }
    }
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (strcmp(expectation->metric, counts[i].name) == 0) {
            result->actual = fm_decimal_from_integer((int64_t)counts[i].count);
            return FM_OK;
        }
    }
    result->actual = fm_decimal_from_ticks((int64_t)waiting);
    return metric != FM_METRIC_NONE ? FM_OK : no_such_value(scenario, expectation, error);
}

/* ---- matrices ---- */

fm_status_t fm_expectation_of_matrix(const struct fm_scenario *scenario,
                                     const struct fm_scenario_expectation *expectation,
                                     const struct fm_cube *cube,
                                     struct fm_expectation_result *result, struct fm_error *error)
{
    static const struct {
        const char *name;
        enum fm_cube_matrix_kind kind;
        bool counts;
    } values[] = {
        {"messages", FM_MATRIX_MESSAGES, true},
        {"message_bytes", FM_MATRIX_MESSAGES, false},
        {"operations", FM_MATRIX_OPERATIONS, true},
        {"operation_bytes", FM_MATRIX_OPERATIONS, false},
        {"waits", FM_MATRIX_DELAYS, true},
        {"blame", FM_MATRIX_BLAME, false},
    };
    fm_metric_t metric = wait_state(expectation->metric);
    enum fm_cube_matrix_kind kind = FM_MATRIX_DELAYS;
    bool counts = false;
    bool known = metric != FM_METRIC_NONE;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        if (strcmp(expectation->metric, values[i].name) == 0) {
            kind = values[i].kind;
            counts = values[i].counts;
            known = true;
        }
    }
    if (!known) {
        return no_such_value(scenario, expectation, error);
    }
    uint32_t from = fm_expectation_location(cube, expectation->from_rank, expectation->from_thread);
    uint32_t to = fm_expectation_location(cube, expectation->rank, expectation->thread);
    const struct fm_cube_matrix *matrix = &cube->matrices[kind];
    uint64_t sum = 0;
    for (size_t i = 0; i < matrix->link_count; i++) {
        const struct fm_cube_link *link = &matrix->links[i];
        if ((expectation->all_origins || link->from == from) &&
            (expectation->all_locations || link->to == to) &&
            (metric == FM_METRIC_NONE || link->metric == (uint32_t)metric)) {
            sum += counts ? link->count : link->amount;
        }
    }
    result->computed = true;
    result->actual = counts || !fm_cube_matrix_is_time(kind) ? fm_decimal_from_integer((int64_t)sum)
                                                             : fm_decimal_from_ticks((int64_t)sum);
    return FM_OK;
}
