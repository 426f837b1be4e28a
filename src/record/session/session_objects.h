/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Names of the objects by which threads synchronize: at the end of the run, and for the journal.
 */
#ifndef FERMATA_RECORD_SESSION_SESSION_OBJECTS_H
#define FERMATA_RECORD_SESSION_SESSION_OBJECTS_H

#include "record/archive/define.h"

/** Defines the objects of all paradigms of this process that records refer to: by the variable that
 * contains an object, else by its address.
 * @param rank  of the process
 * @return false without memory */
bool fm_session_define_objects(struct fm_definitions *set, uint32_t rank);

/** Appends the objects to the journal that are new since the last call, with the files that contain
 * them. The caller holds the session's lock. May be called in a signal handler.
 * @return false: not all were written; their names are missing then, errno is the reason */
bool fm_session_journal_objects(void);

#endif
