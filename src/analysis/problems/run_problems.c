/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/problems/run_problems.h"

#include "analysis/problems/cost_times.h"
#include "analysis/problems/excess.h"
#include "analysis/problems/serial_gain.h"
#include "analysis/problems/shown.h"
#include "analysis/problems/symptoms.h"

#include <math.h>

/* Examines the problems of waiting that are large enough. */
static void examine(struct fm_formation *formation, const struct fm_critical_path *path,
                    const struct fm_iterations *iterations, const struct fm_phase_list *phases,
                    uint64_t begin, uint64_t end, struct fm_blamed_waits *blamed,
                    struct fm_run_problems *problems)
{
    const struct fm_analysis *analysis = formation->analysis;
    struct fm_shown_problems shown =
        fm_shown_problems_choose(&problems->list, problems->sum, analysis->team);
    if (blamed != NULL) {
        fm_shown_problems_assign(&shown, analysis, blamed);
    }
    int64_t *bins = fm_cost_times_find(formation, &shown, blamed, iterations);
    for (uint32_t i = 0; fm_team_leads(analysis->team) && i < shown.count; ++i) {
        fm_cost_times_describe(analysis->trace, bins + (size_t)i * iterations->bin_count,
                               iterations, phases, begin, end, &problems->list.items.items[i]);
    }
    fm_free(bins);
    fm_excess_find(formation, &shown, iterations, path, begin, end, problems->list.items.items);
    fm_serialization_gain(formation, &shown, problems->list.items.items);
    fm_symptoms_find(formation, &shown, blamed, problems->list.items.items);
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
    problems.list = fm_problems_group(&costs, formation->analysis->trace);
    problems.sum = costs.sum;
    problems.inexact = costs.inexact;
    fm_problem_costs_free(&costs);
    struct fm_iterations iterations = fm_iterations_find(formation->analysis, phases, begin, end);
    examine(formation, path, &iterations, phases, begin, end, blamed, &problems);
    problems.idle = fm_idle_problems_find(formation, path, &iterations, phases, begin, end);
    fm_iterations_free(&iterations);
    return problems;
}

/* @return whether the next problem by cost is one of waiting */
static bool is_waiting_next(const struct fm_problem_list *waiting, size_t w,
                            const struct fm_problem_list *idle, size_t i)
{
    return w < waiting->items.count &&
           (i == idle->items.count || waiting->items.items[w].cost >= idle->items.items[i].cost);
}

fm_status_t fm_run_problems_fill(const struct fm_run_problems *problems,
                                 const struct fm_lock_queues *queues, struct fm_cube *cube,
                                 struct fm_error *error)
{
    const struct fm_problem_list *waiting = &problems->list, *idle = &problems->idle.list;
    const struct fm_cube_problem *variation = NULL;
    fm_status_t status = FM_OK;
    for (size_t w = 0, i = 0;
         w + i < waiting->items.count + idle->items.count && status == FM_OK;) {
        struct fm_cube_problem problem = is_waiting_next(waiting, w, idle, i)
                                             ? waiting->items.items[w++]
                                             : idle->items.items[i++];
        if (problem.kind == FM_CAUSE_VARIATION) { /* comes last */
            variation = &waiting->items.items[w - 1];
            continue;
        }
        if (problem.kind == FM_CAUSE_SERIALIZATION) {
            problem.lock = fm_serialization_lock(cube, &problem);
        } else if (problem.kind == FM_CAUSE_CONTENTION) {
            problem.lock = fm_lock_queues_find(queues, &waiting->locks.items[problem.lock]);
        }
        status = fm_cube_add_problem(cube, &problem, error);
    }
    if (variation != NULL && status == FM_OK) {
        status = fm_cube_add_problem(cube, variation, error);
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
    fm_idle_problems_free(&problems->idle);
}
