/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Pauses recording at run time outside of the selected part of the run (scope.h).
 */
#ifndef FERMATA_RECORD_SELECTION_SELECTED_H
#define FERMATA_RECORD_SELECTION_SELECTED_H

#include "record/selection/scope.h"

/** Reads the selection. Called once, before all other functions of this file. */
void fm_selected_begin(void);

/** Sets the function that the handler of the selected signal calls instead of a pause. Called
 * before the run begins. */
void fm_selected_on_signal(void (*function)(void));

/** The selection; constant. */
const struct fm_scope *fm_selected(void);

/** A message for the user about a selection that cannot be applied; NULL: none. Constant. Valid
 * after fm_selected_run_begins, and again at the end of the run. */
const char *fm_selected_problem(void);

/** Applies the selection at the begin of the run, within MPI_Init; `rank` is this process's. */
void fm_selected_run_begins(uint32_t rank);

/** Called when a visit of the selected phase begins or ends. Thread-safe.
 * @return whether the visit is recorded; fm_selected_visit_ends is called for recorded visits only
 */
bool fm_selected_visit_begins(void);
void fm_selected_visit_ends(void);

#endif
