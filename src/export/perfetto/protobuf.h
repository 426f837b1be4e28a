/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Encodes messages of protocol buffers: fields are appended to a growing buffer.
 */
#ifndef FERMATA_EXPORT_PERFETTO_PROTOBUF_H
#define FERMATA_EXPORT_PERFETTO_PROTOBUF_H

#include "base/containers/vector.h"

#include <stdint.h>

/** An encoded message; `struct fm_protobuf m = {0};` is an empty message; items.count = 0 empties a
 * message. */
struct fm_protobuf {
    FM_VECTOR(uint8_t) items;
};

/** Appends an integer field (varint). */
void fm_protobuf_integer(struct fm_protobuf *message, uint32_t field, uint64_t value);

/** Appends a field of 8 bytes (fixed64). */
void fm_protobuf_fixed64(struct fm_protobuf *message, uint32_t field, uint64_t value);

/** Appends a string field; bytes that are not valid UTF-8 are replaced by U+FFFD. */
void fm_protobuf_string(struct fm_protobuf *message, uint32_t field, const char *text);

/** Appends a message as a field of another message. */
void fm_protobuf_message(struct fm_protobuf *message, uint32_t field,
                         const struct fm_protobuf *inner);

/** Frees the buffer. */
void fm_protobuf_free(struct fm_protobuf *message);

#endif
