/* SPDX-License-Identifier: BSD-3-Clause */
#include "cube/file/source.h"

#include <stdlib.h>
#include <string.h>

const unsigned char *fm_source_bytes(struct fm_source *source, size_t length)
{
    if (source->failed || source->left < length) {
        source->failed = true;
        return NULL;
    }
    const unsigned char *bytes = source->bytes;
    source->bytes += length;
    source->left -= length;
    return bytes;
}

static uint64_t get_integer(struct fm_source *source, unsigned size)
{
    const unsigned char *bytes = fm_source_bytes(source, size);
    uint64_t value = 0;
    if (bytes != NULL) {
        for (unsigned i = 0; i < size; i++)
            value |= (uint64_t)bytes[i] << (8 * i);
    }
    return value;
}

uint8_t fm_source_u8(struct fm_source *source)
{
    return (uint8_t)get_integer(source, 1);
}

uint32_t fm_source_u32(struct fm_source *source)
{
    return (uint32_t)get_integer(source, 4);
}

uint64_t fm_source_u64(struct fm_source *source)
{
    return get_integer(source, 8);
}

char *fm_source_string(struct fm_source *source, bool optional)
{
    uint32_t length = fm_source_u32(source);
    if (source->failed || (length == UINT32_MAX && optional))
        return NULL;
    const unsigned char *bytes = fm_source_bytes(source, length);
    if (bytes == NULL)
        return NULL;
    char *copy = memchr(bytes, '\0', length) == NULL ? malloc((size_t)length + 1) : NULL;
    if (copy == NULL) {
        source->failed = true;
        return NULL;
    }
    memcpy(copy, bytes, length);
    copy[length] = '\0';
    return copy;
}

uint32_t fm_source_count(struct fm_source *source, size_t smallest)
{
    uint32_t count = fm_source_u32(source);
    if (count > source->left / smallest)
        source->failed = true;
    return source->failed ? 0 : count;
}
