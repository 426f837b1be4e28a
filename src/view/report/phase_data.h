/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The iterations of a program's phases as columns of a bundle.
 *
 * Member of the JSON "phases": for each phase "region" (its name), "iterations" (number), "rows"
 * (number), "kinds" (wait states that occur, metrics). Columns, rows of all phases consecutively;
 * times are ticks, defined as in struct fm_cube_iteration: `phase_first`, `phase_count`,
 * `phase_begin`, `phase_end`, `phase_duration`, `phase_time`, `phase_capacity`,
 * `phase_computation`, `phase_longest`, `phase_computation_capacity`, `phase_waiting`,
 * `phase_error`, `phase_locations`, `phase_slowest` (+ 1; 0: none); and `phase_waits`, [row][kind].
 */
#ifndef FERMATA_VIEW_REPORT_PHASE_DATA_H
#define FERMATA_VIEW_REPORT_PHASE_DATA_H

#include "cube/model/cube.h"
#include "view/bundle.h"

/** Maximum number of rows of a phase in a page; consecutive iterations are added up beyond it. */
#define FM_PHASE_ROWS 2048U

/** Adds the columns and the member. */
void fm_phase_data_add(struct fm_bundle *bundle, const struct fm_cube *cube);

#endif
