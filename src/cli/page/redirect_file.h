/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A file that leads a browser to an address. The command line of a process is visible to all users
 * of a machine, so the address of the server, which contains its token, is not an argument of the
 * browser: the browser opens this file, which only its owner can read.
 */
#ifndef FERMATA_CLI_PAGE_REDIRECT_FILE_H
#define FERMATA_CLI_PAGE_REDIRECT_FILE_H

#include "base/error.h"

/** Creates the file (mode 0600, a new name) in $XDG_RUNTIME_DIR, else $TMPDIR, else /tmp.
 * @param url   of characters that HTML needs no escapes for
 * @param path  out: the file, to be freed by the caller after fm_redirect_file_remove()
 * @return FM_ERR_SYSTEM: it cannot be written; nothing is left */
fm_status_t fm_redirect_file_create(const char *url, char **path, struct fm_error *error);

/** Removes the file. @param path NULL: nothing happens */
void fm_redirect_file_remove(const char *path);

#endif
