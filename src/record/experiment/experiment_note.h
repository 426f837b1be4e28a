/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A note in the launcher's file, for the launcher: why a program is not recorded. The file names
 * the experiment once there is one, which replaces the note.
 */
#ifndef FERMATA_RECORD_EXPERIMENT_EXPERIMENT_NOTE_H
#define FERMATA_RECORD_EXPERIMENT_EXPERIMENT_NOTE_H

#include <stdbool.h>

/** The variable that names the launcher's file. */
#define FM_RESULT_FILE_VARIABLE "FERMATA_RESULT_FILE"

/** A note on a program: its path, and why it has no recorder. */
#define FM_NOTE_STARTED_WITHOUT "%.300s was started without the recorder: %s"

/** Writes a note, unless the file has one, or names an experiment. May be called in a child of
 * vfork(). @param file  path of the launcher's file; NULL: nothing is written */
void fm_experiment_note(const char *file, const char *sentence);

/** @return the note that the first line of the file is; NULL: it is none */
const char *fm_experiment_note_read(const char *line);

#endif
