/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A prediction as an experiment directory that every command reads.
 */
#ifndef FERMATA_CLI_WHATIF_PREDICTED_EXPERIMENT_H
#define FERMATA_CLI_WHATIF_PREDICTED_EXPERIMENT_H

#include "analysis/analysis.h"
#include "analysis/detail.h"
#include "whatif/prediction.h"

/** Writes the predicted trace to DIRECTORY/traces.otf2, analyses it and writes its report to
 * DIRECTORY/report.fer, which states that it is predicted.
 * @param measured   what was measured, for that statement
 * @param options    of the analysis
 * @param directory  must not exist; is created completely or not at all
 * @param cube       out: the report, to be freed with fm_cube_free(); NULL: not wanted */
fm_status_t fm_predicted_experiment_write(const struct fm_detail *detail,
                                          const struct fm_prediction *prediction,
                                          const fm_changes *changes, const char *measured,
                                          const struct fm_analysis_options *options,
                                          const char *directory, struct fm_cube **cube,
                                          struct fm_error *error);

#endif
