/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The container of a Cube 4 file: a tar archive, which may be compressed as a whole. Real files
 * have wrong checksums of headers (CubeW 4.8) and one block too many behind members that fill their
 * last block: both are accepted.
 */
#ifndef FERMATA_IMPORT_CUBEX_CUBEX_ARCHIVE_H
#define FERMATA_IMPORT_CUBEX_CUBEX_ARCHIVE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct fm_cubex_member {
    char *name;
    const unsigned char *bytes;
    size_t size;
};

/** A file in memory. */
struct fm_cubex_archive {
    unsigned char *bytes;
    size_t size;
    struct fm_cubex_member *members; /**< in the order of the file */
    size_t member_count;
};

/** Reads a file. @return FM_OK: to be closed with fm_cubex_archive_close() */
fm_status_t fm_cubex_archive_open(const char *path, struct fm_cubex_archive *archive,
                                  struct fm_error *error);

void fm_cubex_archive_close(struct fm_cubex_archive *archive);

/** @return the member with a name; NULL: there is none. */
const struct fm_cubex_member *fm_cubex_archive_find(const struct fm_cubex_archive *archive,
                                                    const char *name);

#endif
