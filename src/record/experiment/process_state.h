/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What a program may change of its process such that the recorder can no longer do what it could at
 * the begin of the run: its user, and the limits of its memory. All processes of a program are
 * taken to change alike.
 */
#ifndef FERMATA_RECORD_EXPERIMENT_PROCESS_STATE_H
#define FERMATA_RECORD_EXPERIMENT_PROCESS_STATE_H

#include "record/capture/hot.h"

#include <sys/types.h>

/** Notes the process's user and limits. Called once, at the begin of the run. */
void fm_process_note(void);

/** @return why a library must not be asked for communication that the program does not need: with
 * the rights or the memory that are left, libraries fail, or wait for ever. NULL: nothing has
 * changed */
FM_API const char *fm_process_change(void);

/** Identities with which a thread accesses files. */
struct fm_file_rights {
    uid_t user;
    gid_t group;
};

/** Lets the calling thread access files as the process could at the begin of the run, if it may.
 * @return what it had before, for fm_file_rights_restore(). errno is preserved. */
struct fm_file_rights fm_file_rights_begin(void);
void fm_file_rights_restore(const struct fm_file_rights *before);

#endif
