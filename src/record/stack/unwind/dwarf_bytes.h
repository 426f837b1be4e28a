/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Reads the encodings of DWARF from memory within bounds. After a read beyond the bounds `bad` is
 * set and all reads return 0.
 */
#ifndef FERMATA_RECORD_STACK_UNWIND_DWARF_BYTES_H
#define FERMATA_RECORD_STACK_UNWIND_DWARF_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct fm_bytes {
    const uint8_t *next, *end;
    bool bad;
};

static inline struct fm_bytes fm_bytes(const uint8_t *begin, const uint8_t *end)
{
    return (struct fm_bytes){begin, end, begin == NULL || begin > end};
}

static inline bool fm_bytes_have(struct fm_bytes *in, size_t count)
{
    if (in->bad || (size_t)(in->end - in->next) < count) {
        in->bad = true;
    }
    return !in->bad;
}

/** An unsigned number of `size` bytes, at most 8, in the machine's byte order. */
static inline uint64_t fm_bytes_number(struct fm_bytes *in, size_t size)
{
    uint64_t value = 0;
    if (fm_bytes_have(in, size)) {
        memcpy(&value, in->next, size); /* all processors of registers.h are little-endian */
        in->next += size;
    }
    return value;
}

static inline uint8_t fm_bytes_u8(struct fm_bytes *in)
{
    return (uint8_t)fm_bytes_number(in, 1);
}

static inline uint64_t fm_bytes_uleb(struct fm_bytes *in)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = fm_bytes_u8(in);
        if (shift < 64) {
            value |= (uint64_t)(byte & 0x7f) << shift;
        }
        if ((byte & 0x80) == 0) {
            return value;
        }
    }
}

static inline int64_t fm_bytes_sleb(struct fm_bytes *in)
{
    uint64_t value = 0;
    for (unsigned shift = 0;;) {
        uint8_t byte = fm_bytes_u8(in);
        if (shift < 64) {
            value |= (uint64_t)(byte & 0x7f) << shift;
        }
        shift += 7;
        if ((byte & 0x80) == 0) {
            if ((byte & 0x40) != 0 && shift < 64) {
                value |= ~(uint64_t)0 << shift;
            }
            return (int64_t)value;
        }
    }
}

/** Skips `count` bytes. */
static inline void fm_bytes_skip(struct fm_bytes *in, uint64_t count)
{
    if (in->bad || (uint64_t)(in->end - in->next) < count) {
        in->bad = true;
    } else {
        in->next += count;
    }
}

#endif
