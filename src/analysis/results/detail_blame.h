/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Who is blamed for each wait state of the run, as a table for the detail of an analysis.
 */
#ifndef FERMATA_ANALYSIS_RESULTS_DETAIL_BLAME_H
#define FERMATA_ANALYSIS_RESULTS_DETAIL_BLAME_H

#include "analysis/causes/formation.h"

/** Finds who is blamed for each wait state (causes/blame/blame.h). To be called while the formation
 * has the caused wait states, in an analysis by a single process. Runs stages.
 * @param blames  empty; out: ascending by waiter, activity and time. The parts of a wait state
 *                cover it, neighbours differ in location or call path. None if wait states cause
 *                themselves */
void fm_detail_blames_find(const struct fm_formation *formation, fm_detail_blames *blames);

#endif
