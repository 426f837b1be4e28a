/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Who waits for whom in a program that still runs: the report of a copy of what its processes have
 * recorded so far, and its text.
 */
#ifndef FERMATA_CLI_HANG_LIVE_HANG_H
#define FERMATA_CLI_HANG_LIVE_HANG_H

#include "base/error.h"
#include "cube/model/cube.h"
#include "record/rebuild/live_threads.h"
#include "report/terminal.h"

#include <stdbool.h>

/** Whether fm_live_hang_load() can report on a place: an experiment without an archive whose
 * processes run on this host. */
bool fm_live_hang_is_due(const char *place);

/** Copies what the processes of an experiment have recorded so far, and analyses the copy. The
 * processes go on meanwhile. Warnings of the analysis are printed to stderr.
 * @param cube     out: to be freed with fm_cube_free(); set only on success
 * @param threads  empty; out: what the threads do, to be freed with fm_live_threads_free() also
 *                 after a failure
 * @return FM_OK; FM_ERR_DATA, FM_ERR_SYSTEM: as fm_look_copy(). Not thread-safe */
fm_status_t fm_live_hang_load(const char *place, struct fm_cube **cube, fm_live_threads *threads,
                              struct fm_error *error);

/** Prints who waits for whom.
 * @param threads  what the threads do now; none: the run has ended, or it is not known
 * @param terminal  that it is printed to. Not thread-safe */
fm_status_t fm_hang_print(const struct fm_cube *cube, const fm_live_threads *threads,
                          const struct fm_terminal *terminal, struct fm_error *error);

#endif
