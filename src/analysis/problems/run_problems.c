/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/problems/run_problems.h"

#include "analysis/problems/cost_times.h"
#include "analysis/problems/excess.h"
#include "analysis/problems/serial_gain.h"
#include "analysis/problems/shown.h"
#include "analysis/problems/symptoms.h"

#include <math.h>

/* Examines the problems that are large enough. */
static void examine(struct fm_formation *formation, const struct fm_critical_path *path,
                    const struct fm_phase_list *phases, uint64_t begin, uint64_t end,
                    struct fm_blamed_waits *blamed, struct fm_run_problems *problems)
{
    const struct fm_analysis *analysis = formation->analysis;
    struct fm_shown_problems shown =
        fm_shown_problems_choose(&problems->list, problems->sum, analysis->team);
    struct fm_iterations iterations = fm_iterations_find(analysis, phases, begin, end);
    if (blamed != NULL) {
        fm_shown_problems_assign(&shown, analysis, blamed);
    }
    int64_t *bins = fm_cost_times_find(formation, &shown, blamed, &iterations);
    for (uint32_t i = 0; fm_team_leads(analysis->team) && i < shown.count; ++i) {
        fm_cost_times_describe(analysis->trace, bins + (size_t)i * iterations.bin_count,
                               &iterations, phases, begin, end, &problems->list.items.items[i]);
    }
    fm_free(bins);
    fm_excess_find(formation, &shown, &iterations, path, begin, end, problems->list.items.items);
    fm_serialization_gain(formation, &shown, problems->list.items.items);
    fm_symptoms_find(formation, &shown, blamed, problems->list.items.items);
    fm_iterations_free(&iterations);
    fm_shown_problems_free(&shown);
}

struct fm_run_problems fm_run_problems_find(struct fm_formation *formation,
                                            struct fm_blamed_waits *blamed,
                                            const struct fm_critical_path *path,
                                            const struct fm_phase_list *phases, uint64_t begin,
                                            uint64_t end)
{
    struct fm_run_problems problems = {0};
    if (formation->is_circular) {
        return problems;
    }
    struct fm_problem_costs costs = fm_problem_costs_compute(formation, blamed);
    problems.list = fm_problems_group(&costs);
    problems.sum = costs.sum;
    problems.inexact = costs.inexact;
    fm_problem_costs_free(&costs);
    examine(formation, path, phases, begin, end, blamed, &problems);
    return problems;
}

fm_status_t fm_run_problems_fill(const struct fm_run_problems *problems, struct fm_cube *cube,
                                 struct fm_error *error)
{
    fm_status_t status = FM_OK;
    const size_t count = problems->list.items.count;
    for (size_t i = 0; i < 2 * count && status == FM_OK; ++i) {
        struct fm_cube_problem problem = problems->list.items.items[i % count];
        if ((problem.kind == FM_CAUSE_VARIATION) != (i >= count)) {
            continue; /* variation comes last */
        }
        if (problem.kind == FM_CAUSE_SERIALIZATION) {
            problem.lock = fm_serialization_lock(cube, &problem);
        }
        status = fm_cube_add_problem(cube, &problem, error);
    }
    return status;
}

fm_status_t fm_run_problems_check(const struct fm_run_problems *problems,
                                  const struct fm_formation *formation, struct fm_error *error)
{
    double waiting = (double)formation->waiting;
    double sum = ldexp((double)problems->sum, -(int)formation->cost_shift);
    if (fabs(sum - waiting) > 1e-9 * waiting + problems->inexact) {
        return fm_fail(error, FM_ERR_FAILED,
                       "invariant violated: problems cost %.17g ticks, waiting is %.17g ticks", sum,
                       waiting);
    }
    return FM_OK;
}

void fm_run_problems_free(struct fm_run_problems *problems)
{
    fm_problem_list_free(&problems->list);
}
