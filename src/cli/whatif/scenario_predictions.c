/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/whatif/scenario_predictions.h"

#include "analysis/detail.h"
#include "base/files/file_tree.h"
#include "cli/whatif/predicted_experiment.h"
#include "whatif/identity.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static fm_status_t check_identity(const struct fm_scenario *scenario,
                                  const struct fm_detail *detail, struct fm_decisions *decider,
                                  unsigned workers, struct fm_error *error)
{
    struct fm_prediction prediction;
    const fm_changes none = {0};
    fm_status_t status = fm_prediction_make(detail, decider, &none, workers, &prediction, error);
    if (status != FM_OK) {
        return status;
    }
    const struct fm_identity identity = fm_identity_check(detail, prediction.replay);
    const struct fm_decision_counts decisions = prediction.decisions;
    fm_prediction_free(&prediction);
    if (decisions.overtaking != 0 || decisions.served != 0) {
        return fm_fail(error, FM_ERR_FAILED,
                       "%s: the prediction without changes lets %" PRIu64
                       " acquisitions overtake others and %" PRIu64
                       " calls be served by other calls",
                       scenario->name, decisions.overtaking, decisions.served);
    }
    return identity.moved == 0
               ? FM_OK
               : fm_fail(error, FM_ERR_FAILED,
                         "%s: the replay without changes moves %" PRIu64 " times, the first from "
                         "%" PRIu64 " to %" PRIu64 " at activity %u of location %u",
                         scenario->name, identity.moved, identity.measured, identity.replayed,
                         identity.activity, identity.location);
}

/* @return the next change of a text, which it ends; NULL: none. Changes are separated by blanks;
 * one with blanks stands in quotation marks. */
static char *next_change(char **rest)
{
    char *begin = *rest + strspn(*rest, " \t\r");
    const bool is_quoted = *begin == '"';
    begin += is_quoted;
    char *end = begin + strcspn(begin, is_quoted ? "\"" : " \t\r");
    *rest = *end == '\0' ? end : end + 1;
    *end = '\0';
    return *begin == '\0' ? NULL : begin;
}

static fm_status_t read_changes(const char *text, fm_changes *changes, struct fm_error *error)
{
    fm_status_t status = FM_OK;
    char *copy = fm_copy_string(text), *rest = copy;
    for (char *change = next_change(&rest); change != NULL && status == FM_OK;
         change = next_change(&rest)) {
        status = fm_changes_add(changes, change, error);
    }
    fm_free(copy);
    return status;
}

static fm_status_t predict(const struct fm_scenario *scenario, uint32_t number,
                           const struct fm_detail *detail, struct fm_decisions *decisions,
                           const struct fm_analysis_options *options, const char *folder,
                           struct fm_cube **cube, struct fm_error *error)
{
    fm_changes changes = {0};
    struct fm_prediction prediction;
    struct fm_error reason;
    char *directory = NULL;
    if (asprintf(&directory, "%s/predicted", folder) < 0) {
        return fm_fail(error, FM_ERR_SYSTEM, "no memory");
    }
    fm_status_t status = read_changes(scenario->predictions.keys[number].bytes, &changes, &reason);
    if (status == FM_OK) {
        status =
            fm_prediction_make(detail, decisions, &changes, options->workers, &prediction, &reason);
    }
    if (status == FM_OK) {
        status = fm_predicted_experiment_write(detail, &prediction, &changes, scenario->name,
                                               options, directory, cube, &reason);
        fm_prediction_free(&prediction);
        fm_remove_tree(directory);
    }
    if (status != FM_OK) {
        status = status == FM_ERR_USAGE ? FM_ERR_DATA : status;
        fm_fail(error, status, "%s: predict: %.900s", scenario->name, reason.message);
    }
    fm_changes_free(&changes);
    free(directory);
    return status;
}

fm_status_t fm_scenario_predict(const struct fm_scenario *scenario, const char *archive,
                                const struct fm_analysis_options *options, const char *folder,
                                fm_prediction_handler_t *handle, void *context,
                                struct fm_error *error)
{
    struct fm_analysis_options with_dependencies = *options;
    struct fm_detail *detail = NULL;
    with_dependencies.dependencies = true;
    fm_status_t status =
        fm_analysis_run_in_detail(archive, &with_dependencies, NULL, &detail, error);
    const bool is_open = status == FM_OK && detail->open_ends != 0;
    if (is_open && scenario->predictions.count != 0) {
        status =
            fm_fail(error, FM_ERR_DATA, "%s: predict: the run ended inside calls", scenario->name);
    }
    struct fm_decisions *decisions =
        status == FM_OK && !is_open ? fm_decisions_create(detail) : NULL;
    if (status == FM_OK && !is_open) {
        status = check_identity(scenario, detail, decisions, options->workers, error);
    }
    for (uint32_t p = 0; p < scenario->predictions.count && status == FM_OK; p++) {
        struct fm_cube *cube = NULL;
        status = predict(scenario, p, detail, decisions, options, folder, &cube, error);
        if (status == FM_OK) {
            handle(context, p, cube);
            fm_cube_free(cube);
        }
    }
    fm_decisions_free(decisions);
    fm_detail_free(detail);
    return status;
}
