/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Names of windows that the program has not named. */
#ifndef FERMATA_ANALYSIS_WINDOW_NAMES_H
#define FERMATA_ANALYSIS_WINDOW_NAMES_H

#include "engine/engine.h"
#include "trace/tables/trace.h"

/** Names the windows without a name by their number and the call that created them, as its lowest
 * location made it: "window 2 (MPI_Win_create, halo.c:31)". Windows whose creation is not recorded
 * stay without a name. Collective. O(records of one-sided communication) if there are such windows.
 */
void fm_window_names_complete(struct fm_engine *engine, struct fm_trace *trace);

#endif
