/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Numbers in event files, as OTF2 writes them. Private to src/trace.
 *
 * These functions check no bounds. A reader checks once for each record whether the record was
 * within its bounds: a number has at most 9 bytes, and FM_EVENT_SLACK bytes after the data may be
 * read, too.
 */
#ifndef FERMATA_TRACE_ARCHIVE_EVENT_BYTES_H
#define FERMATA_TRACE_ARCHIVE_EVENT_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/** Readable bytes without meaning after the data of a chunk: more than the numbers of a record
 * without lists have, each of which is read as eight bytes. */
#define FM_EVENT_SLACK 128

/** A place in a chunk. */
struct fm_event_bytes {
    const uint8_t *at;
    const uint8_t *end; /**< of the chunk's data */
    bool damaged;       /**< a number had an impossible length */
};

#define FM_ALWAYS_INLINE static inline __attribute__((always_inline))

FM_ALWAYS_INLINE uint8_t fm_bytes_byte(struct fm_event_bytes *bytes)
{
    return *bytes->at++;
}

/** Reads a number that always has eight bytes. */
FM_ALWAYS_INLINE uint64_t fm_bytes_full(struct fm_event_bytes *bytes)
{
    uint64_t value;
    memcpy(&value, bytes->at, sizeof value);
    bytes->at += sizeof value;
    return value;
}

/** Reads a number whose first byte is the number of bytes that follow; 255: all bits are set.
 * @param most  largest number of bytes that follow */
FM_ALWAYS_INLINE uint64_t fm_bytes_number(struct fm_event_bytes *bytes, unsigned most)
{
    unsigned length = *bytes->at++;
    uint64_t value;
    if (__builtin_expect(length > most, 0)) {
        bytes->damaged |= length != UINT8_MAX;
        return UINT64_MAX;
    }
    memcpy(&value, bytes->at, sizeof value);
    bytes->at += length;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    static const uint64_t masks[9] = {0,
                                      UINT64_MAX >> 56,
                                      UINT64_MAX >> 48,
                                      UINT64_MAX >> 40,
                                      UINT64_MAX >> 32,
                                      UINT64_MAX >> 24,
                                      UINT64_MAX >> 16,
                                      UINT64_MAX >> 8,
                                      UINT64_MAX};
    return value & masks[length];
#else
    return length == 0 ? 0 : value >> (64 - 8 * length);
#endif
}

/** Reads such a number of 32 bits. */
FM_ALWAYS_INLINE uint32_t fm_bytes_word(struct fm_event_bytes *bytes)
{
    return (uint32_t)fm_bytes_number(bytes, 4);
}

/** Reads such a number of 64 bits. */
FM_ALWAYS_INLINE uint64_t fm_bytes_long(struct fm_event_bytes *bytes)
{
    return fm_bytes_number(bytes, 8);
}

/** Whether a record ends within the chunk; as OTF2 demands, at least one byte follows each record.
 * @param left  bytes of the record from the current place on */
FM_ALWAYS_INLINE bool fm_bytes_fit(const struct fm_event_bytes *bytes, uint64_t left)
{
    return bytes->at < bytes->end && left < (uint64_t)(bytes->end - bytes->at);
}

/** Reads the length at the begin of a record: a byte, or 255 and eight bytes.
 * @return where the record ends, NULL if that is not in the chunk */
FM_ALWAYS_INLINE const uint8_t *fm_bytes_open(struct fm_event_bytes *bytes)
{
    uint64_t length = *bytes->at++;
    if (__builtin_expect(length == UINT8_MAX, 0)) {
        length = fm_bytes_full(bytes);
    }
    return fm_bytes_fit(bytes, length) ? bytes->at + length : NULL;
}

#endif
