/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The waiting in loops that poll belongs to the call paths where it was spent: those of the tests,
 * of their callers, and of what is called between the tests.
 */
#ifndef FERMATA_ANALYSIS_RESULTS_LOOP_WAITS_H
#define FERMATA_ANALYSIS_RESULTS_LOOP_WAITS_H

#include "analysis/model/run.h"

/** Moves the waiting of all calls that end polling loops, and of its parts, to the metrics of the
 * wait states (`moved` of the findings), and counts it in the metrics <kind>_polling. To be called
 * after the arbitration. Runs a stage; collective. */
void fm_loop_waits_move(struct fm_analysis *analysis);

#endif
