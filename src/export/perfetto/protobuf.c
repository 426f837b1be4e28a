/* SPDX-License-Identifier: BSD-3-Clause */
#include "export/perfetto/protobuf.h"

#include "base/text.h"

#include <string.h>

enum wire_type { VARINT = 0, FIXED64 = 1, LENGTH_DELIMITED = 2 };

static void put_varint(struct fm_protobuf *message, uint64_t value)
{
    for (; value >= 0x80; value >>= 7) {
        fm_vector_push(&message->items, (uint8_t)(value | 0x80));
    }
    fm_vector_push(&message->items, (uint8_t)value);
}

static void put_tag(struct fm_protobuf *message, uint32_t field, enum wire_type type)
{
    put_varint(message, (uint64_t)field << 3 | type);
}

static void put_bytes(struct fm_protobuf *message, const void *bytes, size_t count)
{
    if (count == 0) {
        return;
    }
    fm_vector_reserve(&message->items, count);
    memcpy(message->items.items + message->items.count, bytes, count);
    message->items.count += count;
}

void fm_protobuf_integer(struct fm_protobuf *message, uint32_t field, uint64_t value)
{
    put_tag(message, field, VARINT);
    put_varint(message, value);
}

void fm_protobuf_fixed64(struct fm_protobuf *message, uint32_t field, uint64_t value)
{
    put_tag(message, field, FIXED64);
    for (unsigned shift = 0; shift < 64; shift += 8) {
        fm_vector_push(&message->items, (uint8_t)(value >> shift));
    }
}

void fm_protobuf_string(struct fm_protobuf *message, uint32_t field, const char *text)
{
    static const char replacement[] = "\xef\xbf\xbd";
    struct fm_protobuf valid = {0};
    while (*text != '\0') {
        uint32_t code_point;
        size_t length = fm_text_decode(text, &code_point);
        if (code_point == UINT32_MAX) {
            put_bytes(&valid, replacement, sizeof replacement - 1);
        } else {
            put_bytes(&valid, text, length);
        }
        text += length;
    }
    fm_protobuf_message(message, field, &valid);
    fm_protobuf_free(&valid);
}

void fm_protobuf_message(struct fm_protobuf *message, uint32_t field,
                         const struct fm_protobuf *inner)
{
    put_tag(message, field, LENGTH_DELIMITED);
    put_varint(message, inner->items.count);
    put_bytes(message, inner->items.items, inner->items.count);
}

void fm_protobuf_free(struct fm_protobuf *message)
{
    fm_vector_free(&message->items);
}
