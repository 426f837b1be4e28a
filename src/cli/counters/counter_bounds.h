/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Bounds of unexpected messages by the trace (struct fm_cube_unexpected) beside what counters of
 * the library have.
 */
#ifndef FERMATA_CLI_COUNTERS_COUNTER_BOUNDS_H
#define FERMATA_CLI_COUNTERS_COUNTER_BOUNDS_H

#include "cli/counters/counter_output.h"
#include "counters/counter_job.h"
#include "cube/model/cube.h"

/** Adds a finding to a report if the trace proves that many messages were unexpected, unless a
 * counter of the library states it, and one if such a counter contradicts the bounds.
 * @param job       the counters of the run; NULL: it has none
 * @param is_whole  counters and trace are of the whole run; if not, they are not compared */
void fm_counter_bounds_state(const struct fm_counter_job *job, bool is_whole, struct fm_cube *cube);

/** Prints the bounds of each rank, and what its counters have.
 * @param job  NULL: the run has none */
void fm_counter_bounds_print(const struct fm_counter_request *request,
                             const struct fm_counter_job *job, const struct fm_cube *cube);

#endif
