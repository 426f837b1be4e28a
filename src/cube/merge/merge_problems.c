/* SPDX-License-Identifier: BSD-3-Clause */
/* The problems of merged reports. */
#include "cube/merge/merge_views.h"

#include <stdlib.h>

/** @return whether a region occurs in a call path; only phases of such regions are merged */
static bool is_in_callpath(const struct fm_cube *cube, uint32_t region)
{
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        if (cube->callpaths[i].region == region) {
            return true;
        }
    }
    return false;
}

/** @return the new indices of the phases, to be freed; NULL without memory */
static uint32_t *map_phases(const struct fm_cube *cube, bool are_merged)
{
    uint32_t *map = calloc(cube->phase_count + (size_t)1, sizeof *map);
    uint32_t next = 0;
    for (uint32_t i = 0; map != NULL && i < cube->phase_count; i++) {
        bool is_merged = are_merged && is_in_callpath(cube, cube->phases[i].region);
        map[i] = is_merged ? next++ : FM_CUBE_NONE;
    }
    return map;
}

/** @return the new indices of the locks, to be freed; NULL without memory */
static uint32_t *map_locks(const struct fm_cube *cube, bool are_merged)
{
    uint32_t *map = calloc(cube->lock_count + (size_t)1, sizeof *map);
    for (uint32_t i = 0; map != NULL && i < cube->lock_count; i++) {
        map[i] = are_merged ? i : FM_CUBE_NONE;
    }
    return map;
}

static bool convert_cost(int64_t *cost, const struct fm_conversion *conversion)
{
    return fm_convert(*cost, conversion, conversion->cost_shift, cost);
}

/** Converts times and costs. `symptoms` replace those of the problem, whose costs may not change;
 * symptoms and problems whose cost is rounded to 0 are left out. @return false on overflow */
static bool convert(struct fm_cube_problem *problem, struct fm_cube_symptom *symptoms,
                    const struct fm_conversion *conversion)
{
    uint64_t *const times[] = {&problem->excess.there, &problem->excess.elsewhere,
                               &problem->excess.longest, &problem->gain.balanced,
                               &problem->gain.removed};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        *times[i] = fm_convert_ticks(*times[i], conversion);
    }
    for (uint32_t i = 0; i < problem->prediction_count; i++) {
        struct fm_cube_prediction *prediction = &problem->predictions[i];
        const int64_t saved = prediction->saved;
        prediction->freed = fm_convert_ticks(prediction->freed, conversion);
        prediction->moved = fm_convert_ticks(prediction->moved, conversion);
        const uint64_t ticks = fm_convert_ticks((uint64_t)(saved < 0 ? -saved : saved), conversion);
        prediction->saved = saved < 0 ? -(int64_t)ticks : (int64_t)ticks;
    }
    for (uint32_t i = 0; i < problem->occasion_count; i++) {
        struct fm_cube_occasion *occasion = &problem->occasions[i];
        occasion->begin = fm_convert_ticks(occasion->begin, conversion);
        occasion->end = fm_convert_ticks(occasion->end, conversion);
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < problem->symptom_count; i++) {
        symptoms[kept] = problem->symptoms[i];
        if (!convert_cost(&symptoms[kept].cost, conversion)) {
            return false;
        }
        kept += symptoms[kept].cost > 0;
    }
    problem->symptoms = symptoms;
    problem->symptom_count = kept;
    return convert_cost(&problem->cost, conversion) && convert_cost(&problem->error, conversion);
}

static fm_status_t add_problem(struct fm_combination *combination, size_t c,
                               const struct fm_cube_problem *problem,
                               const struct fm_cube_problem_map *map, struct fm_error *error)
{
    struct fm_cube_problem copy = *problem;
    struct fm_cube_symptom *symptoms = calloc(problem->symptom_count + (size_t)1, sizeof *symptoms);
    if (symptoms == NULL) {
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory for problems");
    }
    bool is_kept;
    fm_status_t status = FM_OK;
    if (!convert(&copy, symptoms, &combination->conversions[c])) {
        status = fm_fail(error, FM_ERR_DATA, "a value exceeds 64 bits");
    } else if (copy.cost > 0) {
        status = fm_cube_copy_problem(combination->united.frame, &copy, map, &is_kept, error);
    }
    free(symptoms);
    return status;
}

fm_status_t fm_merge_problems(struct fm_combination *combination, size_t c, bool has_its_phases,
                              bool has_its_locks, struct fm_error *error)
{
    const struct fm_cube *cube = combination->cubes[c];
    uint32_t *phases = map_phases(cube, has_its_phases);
    uint32_t *locks = map_locks(cube, has_its_locks);
    const struct fm_cube_problem_map map = {combination->united.callpaths[c],
                                            combination->united.locations[c], phases, locks};
    fm_status_t status = phases != NULL && locks != NULL
                             ? FM_OK
                             : fm_fail(error, FM_ERR_SYSTEM, "out of memory for problems");
    for (uint32_t i = 0; i < cube->problem_count && status == FM_OK; i++) {
        status = add_problem(combination, c, &cube->problems[i], &map, error);
    }
    free(phases);
    free(locks);
    return status;
}
