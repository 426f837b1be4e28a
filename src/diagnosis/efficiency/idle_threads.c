/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/efficiency/idle_threads.h"

#include "base/memory.h"
#include "diagnosis/number_format.h"
#include "diagnosis/startup.h"

/** Minimum share of all time that is notable. */
#define NOTABLE 0.05

/** Finds the idle time for which the problems of the report have no cause but waiting. */
static void read_problems(const struct fm_cube *cube, const bool *startup,
                          struct fm_idle_threads *idle)
{
    for (uint32_t i = 0; i < cube->problem_count; i++) {
        const struct fm_cube_problem *problem = &cube->problems[i];
        if (problem->kind != FM_CAUSE_IDLE) {
            continue;
        }
        idle->has_problems = true;
        for (uint32_t s = 0; problem->callpath == FM_CUBE_NONE && s < problem->symptom_count; s++) {
            const struct fm_cube_symptom *symptom = &problem->symptoms[s];
            if (!startup[symptom->callpath]) {
                idle->waited += symptom->cost >> cube->experiment.cost_shift;
            }
        }
    }
}

struct fm_idle_threads fm_idle_threads_find(const struct fm_diagnosis *diagnosis)
{
    const struct fm_cube *cube = diagnosis->cube;
    struct fm_idle_threads idle = {.most.callpath = FM_CUBE_NONE, .second.callpath = FM_CUBE_NONE};
    int64_t *times = fm_allocate(cube->callpath_count, sizeof *times);
    bool *startup = fm_startup_callpaths(cube);
    for (size_t i = 0; i < cube->cell_count; i++) {
        const struct fm_cube_cell *cell = &cube->cells[i];
        if (fm_metric_is_within((fm_metric_t)cell->metric, FM_METRIC_OMP_IDLE_THREADS) &&
            !fm_is_startup_cell(startup, cell)) {
            times[cell->callpath] += cell->value;
            idle.ticks += cell->value;
        }
    }
    for (uint32_t c = 0; c < cube->callpath_count; c++) {
        if (times[c] > idle.most.ticks) {
            idle.second = idle.most;
            idle.most = (struct fm_idle_place){c, times[c]};
        } else if (times[c] > idle.second.ticks) {
            idle.second = (struct fm_idle_place){c, times[c]};
        }
    }
    read_problems(cube, startup, &idle);
    idle.is_notable = fm_fraction(idle.ticks, diagnosis->time) >= NOTABLE;
    fm_free(startup);
    fm_free(times);
    return idle;
}
