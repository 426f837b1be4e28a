#include "base/crc64.h"
#include "cube/cube_writer.h"

#include <string.h>

void fm_sink_bytes(struct fm_sink *sink, const void *bytes, size_t length)
{
    if (length == 0)
        return;
    sink->crc = fm_crc64(sink->crc, bytes, length);
    fwrite(bytes, 1, length, sink->stream);
}

void fm_sink_u8(struct fm_sink *sink, unsigned value)
{
    fm_sink_bytes(sink, &(unsigned char){(unsigned char)value}, 1);
}

void fm_sink_u32(struct fm_sink *sink, uint32_t value)
{
    unsigned char bytes[4];
    for (int i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
    fm_sink_bytes(sink, bytes, sizeof bytes);
}

void fm_sink_u64(struct fm_sink *sink, uint64_t value)
{
    fm_sink_u32(sink, (uint32_t)value);
    fm_sink_u32(sink, (uint32_t)(value >> 32));
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
