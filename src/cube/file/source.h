/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Sequential reader of the bytes of a report file, little-endian. Every function checks the number
 * of remaining bytes. After the first failure all functions return 0 or NULL, so that callers may
 * check once per record.
 */
#ifndef FERMATA_CUBE_FILE_SOURCE_H
#define FERMATA_CUBE_FILE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fm_source {
    const unsigned char *bytes;
    size_t left;
    bool failed;
};

/** @return the next `length` bytes, owned by the source; NULL on failure. */
const unsigned char *fm_source_bytes(struct fm_source *source, size_t length);

/** @return the next integer of this width. */
uint8_t fm_source_u8(struct fm_source *source);
uint32_t fm_source_u32(struct fm_source *source);
uint64_t fm_source_u64(struct fm_source *source);

/** @return a copy of the next string, to be freed with free(); NULL on failure, or for an unknown
 * string if `optional`. */
char *fm_source_string(struct fm_source *source, bool optional);

/** Reads the number of following records, each at least `smallest` bytes long. A number beyond the
 * remaining bytes is a failure, so that no memory is allocated for it. */
uint32_t fm_source_count(struct fm_source *source, size_t smallest);

#endif
