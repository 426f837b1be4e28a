/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Calls of MPI that are not recorded, or not as the program means them: functions without a wrapper
 * (those of MPI 4), functions that the program or one of its libraries defines itself (a layer of
 * the profiling interface), and processes that the program spawns, if
 * these have an experiment of their own. Also runtimes of OpenMP that
 * have another tool.
 */
#ifndef FERMATA_RECORD_SESSION_SESSION_UNSEEN_H
#define FERMATA_RECORD_SESSION_SESSION_UNSEEN_H

#include "record/capture/hot.h"
#include "record/paradigm/paradigm.h"

/** Reads the symbols of all loaded objects, once. Called when a paradigm is attached; only MPI has
 * such functions. */
void fm_session_find_unseen(const struct fm_paradigm *paradigm);

/** A runtime of OpenMP has accepted the recorder as its tool. Otherwise its constructs are not
 * recorded, which fm_session_unseen states. */
FM_API void fm_session_note_tool(void);

/** @return sentences that name the functions, separated by "; "; NULL: none. To be called by the
 * thread that ends the run. */
const char *fm_session_unseen(void);

#endif
