/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Where tests put what they need for a while.
 */
#ifndef FERMATA_TESTS_TEMPORARY_H
#define FERMATA_TESTS_TEMPORARY_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

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

#endif
