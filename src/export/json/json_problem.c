/* SPDX-License-Identifier: BSD-3-Clause */
/* The problems as JSON. */
#include "cube/view/view.h"
#include "diagnosis/uncertainty.h"
#include "export/json/json_fields.h"

static void put_numbers(struct fm_json *json, const char *key, const uint32_t *numbers,
                        uint32_t count)
{
    fm_json_array(json, key);
    for (uint32_t i = 0; i < count; i++) {
        fm_json_unsigned(json, NULL, numbers[i]);
    }
    fm_json_end(json);
}

/** @return costs in seconds */
static double seconds_of(const struct fm_cube *cube, int64_t cost)
{
    return fm_cube_scaled(cube, FM_METRIC_DELAY, cost);
}

static void put_cause(struct fm_json *json, const struct fm_cube *cube,
                      const struct fm_cube_problem *problem)
{
    fm_json_object(json, "cause");
    fm_json_index(json, "callpath", problem->callpath);
    fm_json_array(json, "callpaths");
    for (uint32_t c = 0; problem->callpath != FM_CUBE_NONE && c < cube->callpath_count; c++) {
        if (fm_cube_problem_is_at(cube, problem, c)) {
            fm_json_unsigned(json, NULL, c);
        }
    }
    fm_json_end(json);
    put_numbers(json, "locations", problem->locations, problem->location_count);
    fm_json_string(json, "kind", fm_cause_kind_name(problem->kind));
    fm_json_bool(json, "exact", problem->error == 0);
    fm_json_double(json, "error", seconds_of(cube, problem->error));
    put_numbers(json, "candidates", problem->candidates, problem->candidate_count);
    if (problem->replaced_share > 0) {
        fm_json_object(json, "replaced");
        fm_json_unsigned(json, "callpath", problem->replaced);
        fm_json_double(json, "share", problem->replaced_share);
        fm_json_end(json);
    } else {
        fm_json_null(json, "replaced");
    }
    fm_json_end(json);
}

/* Writes what is known of a lock that is a cause. */
static void put_contention(struct fm_json *json, const struct fm_cube *cube,
                           const struct fm_cube_problem *problem)
{
    const struct fm_cube_contention *contention = &problem->contention;
    if (contention->lock_count == 0) {
        fm_json_null(json, "contention");
        return;
    }
    fm_json_object(json, "contention");
    fm_json_unsigned(json, "locks", contention->lock_count);
    fm_json_seconds(json, "hold", cube, contention->hold);
    fm_json_seconds(json, "waiting", cube, contention->waiting);
    fm_json_seconds(json, "held", cube, contention->held);
    put_numbers(json, "held_in", contention->held_in, contention->held_in_count);
    fm_json_end(json);
}

/** @return the time of all locations in seconds */
static double time_of_locations(const struct fm_cube *cube)
{
    int64_t ticks = 0;
    for (size_t i = 0; i < cube->cell_count; i++) {
        if (fm_metric_root((fm_metric_t)cube->cells[i].metric) == FM_METRIC_TIME) {
            ticks += cube->cells[i].value;
        }
    }
    return fm_cube_scaled(cube, FM_METRIC_TIME, ticks);
}

static void put_when(struct fm_json *json, const struct fm_cube *cube,
                     const struct fm_cube_problem *problem)
{
    fm_json_array(json, "when");
    for (uint32_t i = 0; i < problem->occasion_count; i++) {
        const struct fm_cube_occasion *occasion = &problem->occasions[i];
        bool has_iterations = problem->phase != FM_CUBE_NONE;
        fm_json_object(json, NULL);
        if (has_iterations) {
            fm_json_unsigned(json, "first", occasion->first);
            fm_json_unsigned(json, "last", occasion->last);
        } else {
            fm_json_null(json, "first");
            fm_json_null(json, "last");
        }
        fm_json_seconds(json, "begin", cube, occasion->begin);
        fm_json_seconds(json, "end", cube, occasion->end);
        if (has_iterations) {
            fm_json_unsigned(json, "count", occasion->count);
        } else {
            fm_json_null(json, "count");
        }
        fm_json_double(json, "share", occasion->share);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void put_symptoms(struct fm_json *json, const struct fm_cube *cube,
                         const struct fm_cube_problem *problem)
{
    fm_json_array(json, "symptoms");
    for (uint32_t i = 0; i < problem->symptom_count; i++) {
        const struct fm_cube_symptom *symptom = &problem->symptoms[i];
        fm_json_line(json, 4);
        fm_json_object(json, NULL);
        fm_json_string(json, "metric", fm_metric_info((fm_metric_t)symptom->metric)->id);
        fm_json_unsigned(json, "callpath", symptom->callpath);
        put_numbers(json, "locations", symptom->locations, symptom->location_count);
        fm_json_double(json, "cost", seconds_of(cube, symptom->cost));
        fm_json_end(json);
    }
    fm_json_end(json);
}

/* Writes the error of a problem's cost, or of less waiting without it. */
static void put_error(struct fm_json *json, const char *key, const struct fm_cube *cube,
                      const struct fm_cube_problem *problem, int64_t ticks)
{
    fm_json_error(json, key, cube,
                  (uint64_t)fm_error_of_cause(cube, problem, ticks < 0 ? -ticks : ticks));
}

/* Writes a gain and its error: the predicted one, else the bound, if either is known. */
static void put_one_gain(struct fm_json *json, const char *key, const char *error_key,
                         const struct fm_cube *cube, const struct fm_cube_problem *problem,
                         const struct fm_cube_prediction *predicted, bool is_known, uint64_t bound)
{
    if (predicted != NULL) {
        fm_json_double(json, key,
                       (double)predicted->saved / (double)cube->experiment.ticks_per_second);
        put_error(json, error_key, cube, problem, predicted->saved);
    } else if (is_known) {
        fm_json_seconds(json, key, cube, bound);
        put_error(json, error_key, cube, problem, (int64_t)bound);
    } else {
        fm_json_null(json, key);
        fm_json_null(json, error_key);
    }
}

static void put_gain(struct fm_json *json, const struct fm_cube *cube,
                     const struct fm_cube_problem *problem)
{
    const struct fm_cube_gain *gain = &problem->gain;
    const struct fm_cube_prediction *balanced = NULL, *removed = NULL;
    for (uint32_t i = 0; i < problem->prediction_count; i++) {
        const struct fm_cube_prediction *prediction = &problem->predictions[i];
        if (prediction->change == FM_PREDICTED_BALANCED) {
            balanced = prediction;
        } else if (!fm_predicted_of_call(prediction->change)) {
            removed = prediction;
        }
    }
    /* Predictions and bounds are not mixed, but for a serialization, where balance gains nothing.
     */
    const bool has_bounds = gain->is_known && (removed == NULL || gain->balanced == 0);
    fm_json_object(json, "gain");
    put_one_gain(json, "balanced", "balanced_error", cube, problem, balanced, has_bounds,
                 gain->balanced);
    put_one_gain(json, "removed", "removed_error", cube, problem, removed, gain->is_known,
                 gain->removed);
    fm_json_bool(json, "proved", removed != NULL);
    fm_json_end(json);
}

static void put_predictions(struct fm_json *json, const struct fm_cube *cube,
                            const struct fm_cube_problem *problem)
{
    const double rate = (double)cube->experiment.ticks_per_second;
    fm_json_array(json, "predictions");
    for (uint32_t i = 0; i < problem->prediction_count; i++) {
        const struct fm_cube_prediction *prediction = &problem->predictions[i];
        fm_json_object(json, NULL);
        fm_json_string(json, "change", fm_predicted_change_name(prediction->change));
        fm_json_index(json, "callpath", prediction->callpath);
        fm_json_double(json, "saved", (double)prediction->saved / rate);
        put_error(json, "saved_error", cube, problem, prediction->saved);
        fm_json_seconds(json, "freed", cube, prediction->freed);
        fm_json_index(json, "instead", prediction->instead);
        fm_json_seconds(json, "moved", cube, prediction->moved);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void put_excess(struct fm_json *json, const struct fm_cube *cube,
                       const struct fm_cube_excess *excess)
{
    if (!excess->is_known) {
        fm_json_null(json, "excess");
        return;
    }
    fm_json_object(json, "excess");
    fm_json_seconds(json, "there", cube, excess->there);
    fm_json_seconds(json, "elsewhere", cube, excess->elsewhere);
    fm_json_seconds(json, "longest", cube, excess->longest);
    fm_json_end(json);
}

void fm_json_put_problems(struct fm_json *json, const struct fm_cube *cube)
{
    double time = time_of_locations(cube);
    fm_json_array(json, "problems");
    for (uint32_t i = 0; i < cube->problem_count; i++) {
        const struct fm_cube_problem *problem = &cube->problems[i];
        double cost = seconds_of(cube, problem->cost);
        fm_json_line(json, 2);
        fm_json_object(json, NULL);
        fm_json_unsigned(json, "id", i + (uint64_t)1);
        put_cause(json, cube, problem);
        fm_json_double(json, "cost", cost);
        put_error(json, "cost_error", cube, problem, problem->cost >> cube->experiment.cost_shift);
        fm_json_double(json, "share", time > 0 ? cost / time : 0);
        put_when(json, cube, problem);
        fm_json_line(json, 3);
        put_symptoms(json, cube, problem);
        fm_json_line(json, 3);
        put_gain(json, cube, problem);
        put_predictions(json, cube, problem);
        if (problem->consequence_of != 0) {
            fm_json_unsigned(json, "consequence_of", problem->consequence_of);
        } else {
            fm_json_null(json, "consequence_of");
        }
        put_excess(json, cube, &problem->excess);
        fm_json_index(json, "phase", problem->phase);
        fm_json_index(json, "lock", problem->lock);
        fm_json_double(json, "inside_lock", seconds_of(cube, problem->inside));
        put_contention(json, cube, problem);
        fm_json_end(json);
    }
    fm_json_end(json);
}
