/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Wait states that the user has switched off: their time stays what it is without them.
 */
#ifndef FERMATA_ANALYSIS_SELECTED_WAITS_H
#define FERMATA_ANALYSIS_SELECTED_WAITS_H

#include "analysis/model/run.h"

/** Takes the candidates and parts of metrics that are switched off out of the findings. What is a
 * case of another wait state that is not switched off becomes one of this. To be called behind the
 * patterns and before the arbitration. Runs a stage.
 * @param off  [FM_METRIC_USER] */
void fm_waits_select(struct fm_analysis *analysis, const bool *off);

#endif
