/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Directories that appear complete or not at all, written by code that may crash when a write
 * fails.
 */
#ifndef FERMATA_BASE_FILES_NEW_DIRECTORY_H
#define FERMATA_BASE_FILES_NEW_DIRECTORY_H

#include "base/error.h"

struct fm_directory_writer {
    /** Fills the directory; runs in a child process with a copy of the memory. @return 0: complete;
     * else what `describe` explains */
    int (*write)(void *argument, const char *directory);
    void *argument;
    const char *(*describe)(int result);
};

/** Creates `directory`, which must not exist, and fills it. It is removed again if that fails.
 * @return FM_ERR_USAGE: it exists; FM_ERR_SYSTEM: it cannot be written */
fm_status_t fm_new_directory(const char *directory, const struct fm_directory_writer *writer,
                             struct fm_error *error);

#endif
