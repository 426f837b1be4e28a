/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Counters and trace of a run side by side: what counters show becomes a part of the report.
 */
#ifndef FERMATA_CLI_COUNTERS_COUNTER_JOIN_H
#define FERMATA_CLI_COUNTERS_COUNTER_JOIN_H

#include "cube/model/cube.h"

/** Adds the findings of the counters of an experiment to its report
 * (counters/findings/counter_findings.h), each with what ranks wait for at the rank that it names;
 * and where counters and trace contradict each other: numbers and bytes of messages or numbers of
 * collective operations that differ, and numbers of unexpected messages outside of the trace's
 * bounds (counter_bounds.h). Without counters, only what these bounds prove.
 * @param directory  the experiment
 * @param is_whole   the trace is said to be complete; if not, differences are no contradictions
 * @param cube       its report, sealed; without a trace (is_profile) nothing is compared */
void fm_counters_join(const char *directory, bool is_whole, struct fm_cube *cube);

#endif
