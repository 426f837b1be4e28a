/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/memory.h"
#include "cube/model/callpath_text.h"
#include "cube/view/view.h"
#include "patterns/user_patterns.h"

#include <stdlib.h>

/* @return number of the script whose metric is `metric`, below `count`; FM_SCRIPT_NONE: none */
static uint32_t script_of(const struct fm_user_patterns *patterns, fm_metric_t metric, size_t count)
{
    for (uint32_t s = 0; s < count; s++) {
        if (patterns->scripts.items[s].metric == metric) {
            return s;
        }
    }
    return FM_SCRIPT_NONE;
}

/* Why a script is left out although it did not fail itself. @return false: no reason */
static bool lacks_other(const struct fm_user_patterns *patterns, size_t number,
                        const bool *left_out, struct fm_error *error)
{
    const struct fm_script *script = &patterns->scripts.items[number];
    const char *needed = NULL;
    for (size_t i = 0; i < script->instances.count; i++) {
        uint32_t other = script->instances.items[i].script;
        if (other != FM_SCRIPT_NONE && left_out[other]) {
            needed = patterns->scripts.items[other].id;
        }
    }
    uint32_t parent = script_of(patterns, fm_metric_info(script->metric)->parent, number);
    if (parent != FM_SCRIPT_NONE && left_out[parent]) {
        needed = patterns->scripts.items[parent].id;
    }
    if (needed != NULL) {
        fm_fail(error, FM_ERR_DATA, "%s: needs the pattern %s, which is left out", script->path,
                needed);
    }
    return needed != NULL;
}

/* Calls `combine` of a script. @return FM_ERR_DATA: it failed */
static fm_status_t combine(const struct fm_script *script, struct fm_script_result *result,
                           const struct fm_event_index *index, const struct fm_cube *cube,
                           struct fm_error *error)
{
    struct fm_execution *execution = NULL;
    fm_status_t status = fm_execution_open(script, index, FM_NONE, NULL, NULL, &execution, error);
    if (status == FM_OK) {
        status = fm_execution_combine(execution, cube, result->severities.items,
                                      result->severities.count, error);
    }
    fm_execution_close(execution);
    return status;
}

/* Whether the values of a script fit into those that the parent still has. The sealed cube has what
 * scripts before this one have left of them. */
static bool fits(const struct fm_script *script, const struct fm_script_result *result,
                 const struct fm_cube *cube, struct fm_error *error)
{
    fm_metric_t parent = fm_metric_info(script->metric)->parent;
    for (size_t i = 0; i < result->severities.count; i++) {
        const struct fm_severity *severity = &result->severities.items[i];
        if (severity->value == INT64_MAX) {
            fm_fail(error, FM_ERR_DATA, "%s: the sum of a severity exceeds 64 bits", script->path);
            return false;
        }
        int64_t left = parent == FM_METRIC_NONE
                           ? INT64_MAX
                           : fm_cube_value(cube, parent, severity->callpath, severity->location);
        if (severity->value > left) {
            char *path = fm_cube_callpath_text(cube, severity->callpath, "/");
            fm_fail(error, FM_ERR_DATA,
                    "%s: at %.300s of rank %u, thread %u, its value is %.9g, but its parent %s has "
                    "only %.9g there, apart from other parts of it",
                    script->path, path == NULL ? "a call path" : path,
                    cube->locations[severity->location].rank,
                    cube->locations[severity->location].thread,
                    fm_cube_scaled(cube, script->metric, severity->value),
                    fm_metric_info(parent)->id, fm_cube_scaled(cube, parent, left));
            free(path);
            return false;
        }
    }
    return true;
}

/* Moves the values of a script out of its parent. */
static fm_status_t add_values(const struct fm_script *script, const struct fm_script_result *result,
                              struct fm_cube *cube, struct fm_error *error)
{
    fm_metric_t parent = fm_metric_info(script->metric)->parent;
    fm_status_t status = FM_OK;
    for (size_t i = 0; status == FM_OK && i < result->severities.count; i++) {
        const struct fm_severity *severity = &result->severities.items[i];
        status = fm_cube_add(cube, script->metric, severity->callpath, severity->location,
                             severity->value, error);
        if (status == FM_OK && parent != FM_METRIC_NONE) {
            status = fm_cube_add(cube, parent, severity->callpath, severity->location,
                                 -severity->value, error);
        }
    }
    return status == FM_OK ? fm_cube_seal(cube, error) : status;
}

fm_status_t fm_script_results_add(const struct fm_user_patterns *patterns,
                                  struct fm_script_result *results,
                                  const struct fm_event_index *index, struct fm_cube *cube,
                                  struct fm_error *failure, struct fm_error *error)
{
    size_t count = patterns->scripts.count;
    bool *left_out = fm_allocate(count + 1, sizeof *left_out);
    fm_status_t status = FM_OK;
    for (size_t s = 0; status == FM_OK && s < count; s++) {
        const struct fm_script *script = &patterns->scripts.items[s];
        struct fm_script_result *result = &results[s];
        struct fm_error reason = result->error;
        left_out[s] =
            result->failed_location != FM_NONE || lacks_other(patterns, s, left_out, &reason) ||
            (script->combines && combine(script, result, index, cube, &reason) != FM_OK) ||
            !fits(script, result, cube, &reason);
        if (!left_out[s]) {
            status = add_values(script, result, cube, error);
            continue;
        }
        if (failure->message[0] == '\0') {
            *failure = reason;
        }
        status = fm_cube_warn_omission(cube, error, "The pattern %s is left out: %s", script->id,
                                       reason.message);
    }
    fm_free(left_out);
    return status;
}
