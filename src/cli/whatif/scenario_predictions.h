/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The predictions of a scenario: that its replay is exact, and what its expectations say.
 */
#ifndef FERMATA_CLI_WHATIF_SCENARIO_PREDICTIONS_H
#define FERMATA_CLI_WHATIF_SCENARIO_PREDICTIONS_H

#include "analysis/analysis.h"
#include "cube/model/cube.h"
#include "scenario/scenario.h"

/** Handles the report of a prediction.
 * @param prediction  index in the scenario's predictions */
typedef void fm_prediction_handler_t(void *context, uint32_t prediction,
                                     const struct fm_cube *cube);

/** Replays the archive of a scenario without changes, compares all times, and makes the scenario's
 * predictions, each with its archive and report.
 * @param folder  for archives, which are removed again
 * @return FM_ERR_FAILED: the replay without changes is not exact; FM_ERR_DATA: a prediction has a
 * wrong change */
fm_status_t fm_scenario_predict(const struct fm_scenario *scenario, const char *archive,
                                const struct fm_analysis_options *options, const char *folder,
                                fm_prediction_handler_t *handle, void *context,
                                struct fm_error *error);

#endif
