/** @file
 * Pauses what the user did not select (scope.h), while the program runs.
 */
#ifndef FERMATA_RECORD_SELECTION_SELECTED_H
#define FERMATA_RECORD_SELECTION_SELECTED_H

#include "record/selection/scope.h"

/** Reads what is selected. Once, before all others. */
void fm_selected_begin(void);

/** What is done when the selected signal comes, instead of a pause; in its handler. Before the run
 * begins. */
void fm_selected_on_signal(void (*function)(void));

/** What is selected; constant. */
const struct fm_scope *fm_selected(void);

/** A message about what was selected but cannot be, to be told to the user; NULL: none. Constant.
 * Behind fm_selected_run_begins and again at the end of the run. */
const char *fm_selected_problem(void);

/** The run begins, within MPI_Init; `rank` is this process's. */
void fm_selected_run_begins(uint32_t rank);

/** A visit of the selected phase begins or ends.
 * @return whether it is one of those that are recorded; only those end with fm_selected_visit_ends
 */
bool fm_selected_visit_begins(void);
void fm_selected_visit_ends(void);

#endif
