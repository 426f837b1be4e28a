/* SPDX-License-Identifier: BSD-3-Clause */
#include "cube/file/cube_writer.h"

#include <string.h>
#include <zlib.h>

static void hand_on(struct fm_sink *sink, const void *bytes, size_t length)
{
    sink->crc = crc32_z(sink->crc, bytes, length);
    fwrite(bytes, 1, length, sink->stream);
}

void fm_sink_flush(struct fm_sink *sink)
{
    if (sink->buffered > 0) {
        hand_on(sink, sink->buffer, sink->buffered);
        sink->buffered = 0;
    }
}

/** @return space for `length` bytes, at most FM_SINK_BUFFER; they count as written. */
static unsigned char *room_for(struct fm_sink *sink, size_t length)
{
    if (length > FM_SINK_BUFFER - sink->buffered)
        fm_sink_flush(sink);
    unsigned char *room = sink->buffer + sink->buffered;
    sink->buffered += length;
    return room;
}

void fm_sink_bytes(struct fm_sink *sink, const void *bytes, size_t length)
{
    if (length >= FM_SINK_BUFFER) {
        fm_sink_flush(sink);
        hand_on(sink, bytes, length);
    } else if (length > 0) {
        memcpy(room_for(sink, length), bytes, length);
    }
}

void fm_sink_u8(struct fm_sink *sink, unsigned value)
{
    *room_for(sink, 1) = (unsigned char)value;
}

static void put_little_endian(unsigned char *bytes, uint64_t value, int width)
{
    for (int i = 0; i < width; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
}

void fm_sink_u32(struct fm_sink *sink, uint32_t value)
{
    put_little_endian(room_for(sink, 4), value, 4);
}

void fm_sink_u64(struct fm_sink *sink, uint64_t value)
{
    put_little_endian(room_for(sink, 8), value, 8);
}

void fm_sink_string(struct fm_sink *sink, const char *text)
{
    if (text == NULL) {
        fm_sink_u32(sink, UINT32_MAX);
        return;
    }
    size_t length = strnlen(text, UINT32_MAX - 1);
    fm_sink_u32(sink, (uint32_t)length);
    fm_sink_bytes(sink, text, length);
}
