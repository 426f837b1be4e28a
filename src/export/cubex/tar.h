/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Writes a tar archive (POSIX.1-2001, "pax") of plain files.
 */
#ifndef FERMATA_EXPORT_CUBEX_TAR_H
#define FERMATA_EXPORT_CUBEX_TAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** An archive that is being written. */
struct fm_tar {
    FILE *stream;     /**< where to; borrowed */
    uint64_t written; /**< bytes so far */
};

/** Begins a member: mode 0600, owner and time of modification zero. `size` bytes follow by
 * fm_tar_put().
 * @param name at most 80 characters
 * @return false: the stream has an error (errno) */
bool fm_tar_begin(struct fm_tar *tar, const char *name, uint64_t size);

/** Writes a piece of the member's content.
 * @return false: the stream has an error (errno) */
bool fm_tar_put(struct fm_tar *tar, const void *bytes, size_t size);

/** Ends a member, after all of its bytes.
 * @return false: the stream has an error (errno) */
bool fm_tar_end_member(struct fm_tar *tar);

/** Ends the archive; the stream stays open.
 * @return false: the stream has an error (errno) */
bool fm_tar_end(struct fm_tar *tar);

#endif
