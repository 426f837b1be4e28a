/* SPDX-License-Identifier: BSD-3-Clause */
#include "cube/model/cube.h"

#include <stdlib.h>
#include <string.h>

const char *fm_cause_kind_name(uint32_t kind)
{
    static const char *const names[FM_CAUSE_KINDS] = {
        [FM_CAUSE_IMBALANCE] = "imbalance",
        [FM_CAUSE_SERIALIZATION] = "serialization",
        [FM_CAUSE_PROGRESS] = "progress",
        [FM_CAUSE_TRANSFER] = "transfer",
        [FM_CAUSE_STARTUP] = "startup",
        [FM_CAUSE_UNATTRIBUTED] = "unattributed",
        [FM_CAUSE_IO] = "io",
        [FM_CAUSE_IDLE] = "idle",
        [FM_CAUSE_VARIATION] = "variation",
        [FM_CAUSE_CONTENTION] = "contention",
    };
    return names[kind];
}

const char *fm_predicted_change_name(uint32_t change)
{
    static const char *const names[FM_PREDICTED_CHANGES] = {
        [FM_PREDICTED_AS_OTHERS] = "as_others",   [FM_PREDICTED_MEDIAN] = "median",
        [FM_PREDICTED_ABSENT] = "absent",         [FM_PREDICTED_BALANCED] = "balanced",
        [FM_PREDICTED_NO_LOCK] = "no_lock",       [FM_PREDICTED_SPLIT_LOCK] = "split_lock",
        [FM_PREDICTED_SHORTER] = "shorter",       [FM_PREDICTED_PROGRESS] = "progress",
        [FM_PREDICTED_NO_BARRIER] = "no_barrier", [FM_PREDICTED_PARTNERS] = "partners",
    };
    return names[change];
}

static void release(struct fm_cube_problem *problem)
{
    free(problem->locations);
    for (uint32_t i = 0; problem->symptoms != NULL && i < problem->symptom_count; i++) {
        free(problem->symptoms[i].locations);
    }
    free(problem->symptoms);
}

void fm_cube_free_problems(struct fm_cube *cube)
{
    for (uint32_t i = 0; i < cube->problem_count; i++) {
        release(&cube->problems[i]);
    }
    free(cube->problems);
    cube->problems = NULL;
    cube->problem_count = cube->problem_capacity = 0;
}

/* ---- what a problem must agree with ---- */

static bool are_locations(const struct fm_cube *cube, const uint32_t *locations, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (locations[i] >= cube->location_count || (i > 0 && locations[i] <= locations[i - 1])) {
            return false;
        }
    }
    return true;
}

static bool is_valid_cause(const struct fm_cube *cube, const struct fm_cube_problem *problem)
{
    if (problem->kind >= FM_CAUSE_KINDS ||
        !are_locations(cube, problem->locations, problem->location_count)) {
        return false;
    }
    if (!fm_cause_has_callpath(problem->kind) ||
        (problem->kind == FM_CAUSE_IDLE && problem->callpath == FM_CUBE_NONE)) {
        return problem->callpath == FM_CUBE_NONE && problem->location_count == 0;
    }
    return problem->callpath < cube->callpath_count && problem->location_count > 0;
}

static bool is_valid_estimate(const struct fm_cube *cube, const struct fm_cube_problem *problem)
{
    if (problem->error < 0 || problem->candidate_count > FM_CUBE_CANDIDATES ||
        !(problem->replaced_share >= 0 && problem->replaced_share <= 1) ||
        (problem->replaced_share > 0 && problem->replaced >= cube->callpath_count)) {
        return false;
    }
    for (uint32_t i = 0; i < problem->candidate_count; i++) {
        if (problem->candidates[i] >= cube->callpath_count) {
            return false;
        }
    }
    return true;
}

static bool is_valid_contention(const struct fm_cube *cube, const struct fm_cube_problem *problem)
{
    const struct fm_cube_contention *contention = &problem->contention;
    if (problem->inside < 0 || problem->inside > problem->cost ||
        (contention->lock_count != 0) != (problem->kind == FM_CAUSE_CONTENTION) ||
        contention->held_in_count > FM_CUBE_HELD_IN) {
        return false;
    }
    for (uint32_t i = 0; i < contention->held_in_count; i++) {
        if (contention->held_in[i] >= cube->callpath_count) {
            return false;
        }
    }
    return true;
}

/* Variation is the last one: it is no cause. */
static bool is_in_order(const struct fm_cube *cube, const struct fm_cube_problem *problem)
{
    if (cube->problem_count == 0 || problem->kind == FM_CAUSE_VARIATION) {
        return true;
    }
    const struct fm_cube_problem *last = &cube->problems[cube->problem_count - 1];
    return last->kind != FM_CAUSE_VARIATION && problem->cost <= last->cost;
}

static bool are_valid_occasions(const struct fm_cube *cube, const struct fm_cube_problem *problem)
{
    if (problem->occasion_count > FM_CUBE_OCCASIONS) {
        return false;
    }
    for (uint32_t i = 0; i < problem->occasion_count; i++) {
        const struct fm_cube_occasion *occasion = &problem->occasions[i];
        if (occasion->end < occasion->begin || !(occasion->share >= 0 && occasion->share <= 1)) {
            return false;
        }
        if (problem->phase == FM_CUBE_NONE) {
            if (occasion->first != 0 || occasion->last != 0 || occasion->count != 0) {
                return false;
            }
        } else if (occasion->last < occasion->first ||
                   occasion->last >= cube->phases[problem->phase].iteration_count ||
                   occasion->count > occasion->last - occasion->first + 1 ||
                   (i > 0 && occasion->first <= problem->occasions[i - 1].last)) {
            return false;
        }
    }
    return true;
}

bool fm_is_symptom_of_idle(uint32_t metric)
{
    return metric == FM_METRIC_OMP_IDLE_THREADS || metric == FM_METRIC_OMP_LIMITED_PARALLELISM;
}

/** @return whether a metric may be that of a symptom */
static bool is_of_symptoms(const struct fm_cube_problem *problem, uint32_t metric)
{
    return metric < FM_METRIC_COUNT &&
           (problem->kind == FM_CAUSE_IDLE ? fm_is_symptom_of_idle(metric)
                                           : fm_metric_info((fm_metric_t)metric)->is_wait_state);
}

static bool are_valid_symptoms(const struct fm_cube *cube, const struct fm_cube_problem *problem)
{
    for (uint32_t i = 0; i < problem->symptom_count; i++) {
        const struct fm_cube_symptom *symptom = &problem->symptoms[i];
        if (!is_of_symptoms(problem, symptom->metric) ||
            symptom->callpath >= cube->callpath_count || symptom->location_count == 0 ||
            !are_locations(cube, symptom->locations, symptom->location_count) ||
            symptom->cost <= 0 || (i > 0 && symptom->cost > problem->symptoms[i - 1].cost)) {
            return false;
        }
    }
    return true;
}

static bool are_valid_predictions(const struct fm_cube *cube, const struct fm_cube_problem *problem)
{
    if (problem->prediction_count > FM_CUBE_PREDICTIONS) {
        return false;
    }
    for (uint32_t i = 0; i < problem->prediction_count; i++) {
        const struct fm_cube_prediction *prediction = &problem->predictions[i];
        const bool has_callpath = fm_predicted_of_call(prediction->change);
        if (prediction->change >= FM_PREDICTED_CHANGES ||
            (has_callpath ? prediction->callpath >= cube->callpath_count
                          : prediction->callpath != FM_CUBE_NONE) ||
            (prediction->instead == FM_CUBE_NONE ? prediction->moved != 0
                                                 : prediction->instead >= cube->callpath_count)) {
            return false;
        }
        for (uint32_t k = 0; k < i; k++) {
            if (problem->predictions[k].change == prediction->change) {
                return false;
            }
        }
    }
    return true;
}

bool fm_cube_predict(struct fm_cube *cube, uint32_t number,
                     const struct fm_cube_prediction *prediction)
{
    struct fm_cube_problem *problem = &cube->problems[number];
    if (problem->prediction_count == FM_CUBE_PREDICTIONS) {
        return false;
    }
    problem->predictions[problem->prediction_count++] = *prediction;
    if (!are_valid_predictions(cube, problem)) {
        problem->prediction_count--;
        return false;
    }
    return true;
}

bool fm_cube_problem_is_at(const struct fm_cube *cube, const struct fm_cube_problem *problem,
                           uint32_t callpath)
{
    return problem->is_function && !problem->in_one_callpath
               ? cube->callpaths[callpath].region == cube->callpaths[problem->callpath].region &&
                     cube->callpaths[callpath].site == cube->callpaths[problem->callpath].site
               : callpath == problem->callpath;
}

uint32_t fm_cube_problem_paths(const struct fm_cube *cube, const struct fm_cube_problem *problem)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < cube->callpath_count; c++) {
        count += fm_cube_problem_is_at(cube, problem, c);
    }
    return count;
}

bool fm_cube_locations_meet(const uint32_t *one, uint32_t one_count, const uint32_t *other,
                            uint32_t other_count)
{
    for (uint32_t a = 0, b = 0; a < one_count && b < other_count;) {
        if (one[a] == other[b]) {
            return true;
        }
        if (one[a] < other[b]) {
            a++;
        } else {
            b++;
        }
    }
    return false;
}

bool fm_cube_set_consequence(struct fm_cube *cube, uint32_t problem, uint32_t of)
{
    if (of >= problem || cube->problems[of].prediction_count == 0 ||
        cube->problems[of].consequence_of != 0) {
        return false;
    }
    cube->problems[problem].consequence_of = of + 1;
    return true;
}

static bool is_valid(const struct fm_cube *cube, const struct fm_cube_problem *problem)
{
    return is_valid_cause(cube, problem) && problem->cost > 0 && is_in_order(cube, problem) &&
           is_valid_estimate(cube, problem) && is_valid_contention(cube, problem) &&
           (problem->phase < cube->phase_count || problem->phase == FM_CUBE_NONE) &&
           (problem->lock < cube->lock_count || problem->lock == FM_CUBE_NONE) &&
           are_valid_occasions(cube, problem) && are_valid_predictions(cube, problem) &&
           are_valid_symptoms(cube, problem);
}

/* ---- copies ---- */

static bool copy_locations(uint32_t **copy, const uint32_t *locations, uint32_t count)
{
    *copy = calloc(count + (size_t)1, sizeof **copy);
    if (*copy != NULL && count > 0) {
        memcpy(*copy, locations, count * sizeof **copy);
    }
    return *copy != NULL;
}

/** @return false without memory; `copy` is to be released in any case. */
static bool duplicate(struct fm_cube_problem *copy, const struct fm_cube_problem *problem)
{
    *copy = *problem;
    copy->symptoms = calloc(problem->symptom_count + (size_t)1, sizeof *copy->symptoms);
    bool succeeded = copy_locations(&copy->locations, problem->locations, problem->location_count);
    if (copy->symptoms == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < problem->symptom_count; i++) {
        const struct fm_cube_symptom *symptom = &problem->symptoms[i];
        copy->symptoms[i] = *symptom;
        succeeded &= copy_locations(&copy->symptoms[i].locations, symptom->locations,
                                    symptom->location_count);
    }
    return succeeded;
}

fm_status_t fm_cube_add_problem(struct fm_cube *cube, const struct fm_cube_problem *problem,
                                struct fm_error *error)
{
    if (!is_valid(cube, problem)) {
        return fm_fail(error, FM_ERR_FAILED, "problem %u is malformed", cube->problem_count);
    }
    if (cube->problem_count == cube->problem_capacity) {
        uint32_t wanted = cube->problem_capacity == 0 ? 16 : cube->problem_capacity * 2;
        struct fm_cube_problem *grown = wanted < cube->problem_capacity
                                            ? NULL
                                            : reallocarray(cube->problems, wanted, sizeof *grown);
        if (grown == NULL) {
            return fm_fail(error, FM_ERR_SYSTEM, "out of memory for problems");
        }
        cube->problems = grown;
        cube->problem_capacity = wanted;
    }
    struct fm_cube_problem copy;
    if (!duplicate(&copy, problem)) {
        release(&copy);
        return fm_fail(error, FM_ERR_SYSTEM, "out of memory for problems");
    }
    cube->problems[cube->problem_count++] = copy;
    return FM_OK;
}

static int compare_numbers(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static void map_locations(uint32_t *locations, uint32_t count, const uint32_t *map)
{
    for (uint32_t i = 0; map != NULL && i < count; i++) {
        locations[i] = map[locations[i]];
    }
    if (count > 1) {
        qsort(locations, count, sizeof *locations, compare_numbers);
    }
}

static uint32_t map_index(uint32_t index, const uint32_t *map)
{
    return index == FM_CUBE_NONE || map == NULL ? FM_CUBE_NONE : map[index];
}

void fm_cube_forget_iterations(struct fm_cube_problem *problem)
{
    for (uint32_t i = 0; i < problem->occasion_count; i++) {
        problem->occasions[i].first = problem->occasions[i].last = problem->occasions[i].count = 0;
    }
    problem->excess = (struct fm_cube_excess){.is_known = false};
}

static void map_problem(struct fm_cube_problem *copy, const struct fm_cube_problem_map *map)
{
    uint32_t kept = 0;
    map_locations(copy->locations, copy->location_count, map->locations);
    for (uint32_t i = 0; i < copy->symptom_count; i++) {
        struct fm_cube_symptom symptom = copy->symptoms[i];
        symptom.callpath = map_index(symptom.callpath, map->callpaths);
        if (symptom.callpath == FM_CUBE_NONE) {
            free(symptom.locations);
        } else {
            map_locations(symptom.locations, symptom.location_count, map->locations);
            copy->symptoms[kept++] = symptom;
        }
    }
    copy->symptom_count = kept;
    kept = 0;
    for (uint32_t i = 0; i < copy->prediction_count; i++) {
        struct fm_cube_prediction prediction = copy->predictions[i];
        prediction.callpath = map_index(prediction.callpath, map->callpaths);
        prediction.instead = map_index(prediction.instead, map->callpaths);
        prediction.moved = prediction.instead == FM_CUBE_NONE ? 0 : prediction.moved;
        if (prediction.callpath != FM_CUBE_NONE || !fm_predicted_of_call(prediction.change)) {
            copy->predictions[kept++] = prediction;
        }
    }
    copy->prediction_count = kept;
    kept = 0;
    for (uint32_t i = 0; i < copy->candidate_count; i++) {
        const uint32_t candidate = map_index(copy->candidates[i], map->callpaths);
        if (candidate != FM_CUBE_NONE) {
            copy->candidates[kept++] = candidate;
        }
    }
    copy->candidate_count = kept;
    kept = 0;
    for (uint32_t i = 0; i < copy->contention.held_in_count; i++) {
        const uint32_t callpath = map_index(copy->contention.held_in[i], map->callpaths);
        if (callpath != FM_CUBE_NONE) {
            copy->contention.held_in[kept++] = callpath;
        }
    }
    copy->contention.held_in_count = kept;
    if (copy->replaced_share > 0) {
        copy->replaced = map_index(copy->replaced, map->callpaths);
        copy->replaced_share = copy->replaced == FM_CUBE_NONE ? 0 : copy->replaced_share;
    }
    copy->consequence_of = 0;
    copy->lock = map_index(copy->lock, map->locks);
    if (copy->phase != FM_CUBE_NONE) {
        copy->phase = map_index(copy->phase, map->phases);
        if (copy->phase == FM_CUBE_NONE) {
            fm_cube_forget_iterations(copy);
        }
    }
}

fm_status_t fm_cube_copy_problem(struct fm_cube *cube, const struct fm_cube_problem *problem,
                                 const struct fm_cube_problem_map *map, bool *is_kept,
                                 struct fm_error *error)
{
    uint32_t callpath = map_index(problem->callpath, map->callpaths);
    *is_kept = callpath != FM_CUBE_NONE || problem->callpath == FM_CUBE_NONE;
    if (!*is_kept) {
        return FM_OK;
    }
    struct fm_cube_problem copy;
    fm_status_t status = FM_OK;
    if (duplicate(&copy, problem)) {
        copy.callpath = callpath;
        map_problem(&copy, map);
        status = fm_cube_add_problem(cube, &copy, error);
    } else {
        status = fm_fail(error, FM_ERR_SYSTEM, "out of memory for problems");
    }
    release(&copy);
    return status;
}
