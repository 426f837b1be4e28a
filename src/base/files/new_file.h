/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Files that appear complete or not at all: written beside their place under a temporary name, put
 * there by one rename. An existing file is replaced only by a complete one.
 */
#ifndef FERMATA_BASE_FILES_NEW_FILE_H
#define FERMATA_BASE_FILES_NEW_FILE_H

#include "base/error.h"

#include <stdio.h>

struct fm_new_file {
    FILE *stream; /**< where to write */
    char *path;
    char *temporary;
};

/** Creates the file (mode 0600: traces and reports describe a user's program).
 * @param file  out: to be ended by fm_new_file_commit() or fm_new_file_discard(); set on success */
fm_status_t fm_new_file_open(struct fm_new_file *file, const char *path, struct fm_error *error);

/** Puts the file into its place if all that was written could be written. Ends `file` in any case;
 * FM_ERR_SYSTEM: it did not appear. */
fm_status_t fm_new_file_commit(struct fm_new_file *file, struct fm_error *error);

/** Ends `file` and removes what was written. */
void fm_new_file_discard(struct fm_new_file *file);

#endif
