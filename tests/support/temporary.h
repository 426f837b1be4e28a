/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Where tests put what they need for a while.
 */
#ifndef FERMATA_TESTS_TEMPORARY_H
#define FERMATA_TESTS_TEMPORARY_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** A path in the folder for temporary files (TMPDIR, else /tmp) for mkdtemp or mkstemp:
 * `/tmp/NAME-XXXXXX`. @param path  out: of `size` bytes */
static inline void temporary_path(char *path, size_t size, const char *name)
{
    const char *folder = getenv("TMPDIR");
    int length = snprintf(path, size, "%s/%s-XXXXXX",
                          folder != NULL && folder[0] != '\0' ? folder : "/tmp", name);
    if (length < 0 || (size_t)length >= size) {
        abort(); /* mkdtemp would make it somewhere else */
    }
}

/** A path of nothing: in a new, empty folder, which remove_missing() removes.
 * @param path  out: of `size` bytes, `FOLDER/missing` */
static inline void missing_path(char *path, size_t size)
{
    char folder[256];
    temporary_path(folder, sizeof folder, "fermata-missing");
    if (mkdtemp(folder) == NULL) {
        abort();
    }
    int length = snprintf(path, size, "%s/missing", folder);
    if (length < 0 || (size_t)length >= size) {
        abort();
    }
}

/** Removes the folder that missing_path() made; fails if it is no longer empty. */
static inline void remove_missing(const char *path)
{
    char folder[256];
    int length = (int)strlen(path) - (int)strlen("/missing");
    snprintf(folder, sizeof folder, "%.*s", length, path);
    if (rmdir(folder) != 0) {
        abort();
    }
}

#endif
