/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/read/event_attributes.h"

/* Largest sizes that OTF2 writes and accepts: reference, type and value of an attribute; the number
 * of attributes. */
enum { LONGEST_ATTRIBUTE = 15, LONGEST_COUNT = 5 };

static OTF2_AttributeValue decode_value(struct fm_event_bytes *bytes, OTF2_Type type)
{
    OTF2_AttributeValue value = {.uint64 = 0};
    switch (type) {
    case OTF2_TYPE_UINT8:
    case OTF2_TYPE_INT8:
        value.uint8 = fm_bytes_byte(bytes);
        break;
    case OTF2_TYPE_UINT16:
    case OTF2_TYPE_INT16:
        memcpy(&value, bytes->at, 2);
        bytes->at += 2;
        break;
    case OTF2_TYPE_FLOAT:
        memcpy(&value, bytes->at, 4);
        bytes->at += 4;
        break;
    case OTF2_TYPE_DOUBLE:
        value.uint64 = fm_bytes_full(bytes);
        break;
    case OTF2_TYPE_UINT32:
    case OTF2_TYPE_INT32:
    case OTF2_TYPE_STRING:
    case OTF2_TYPE_ATTRIBUTE:
    case OTF2_TYPE_REGION:
    case OTF2_TYPE_GROUP:
    case OTF2_TYPE_METRIC:
    case OTF2_TYPE_COMM:
    case OTF2_TYPE_PARAMETER:
    case OTF2_TYPE_RMA_WIN:
    case OTF2_TYPE_SOURCE_CODE_LOCATION:
    case OTF2_TYPE_CALLING_CONTEXT:
    case OTF2_TYPE_INTERRUPT_GENERATOR:
    case OTF2_TYPE_IO_FILE:
    case OTF2_TYPE_IO_HANDLE:
    case OTF2_TYPE_LOCATION_GROUP:
        value.uint32 = fm_bytes_word(bytes);
        break;
    default: /* 64 bits, locations, and types of newer versions */
        value.uint64 = fm_bytes_long(bytes);
        break;
    }
    return value;
}

/* @return whether an attribute is in the list. OTF2 rejects a second one with the same reference,
 * local or global. */
static bool contains(const struct fm_event_attributes *attributes, uint32_t reference,
                     const struct fm_location_maps *maps)
{
    for (uint32_t i = 0; i < attributes->count; i++) {
        uint32_t other = attributes->items[i].reference;
        if (other == reference || fm_location_map(maps, FM_MAP_ATTRIBUTES, other) ==
                                      fm_location_map(maps, FM_MAP_ATTRIBUTES, reference)) {
            return true;
        }
    }
    return false;
}

bool fm_event_attributes_decode(struct fm_event_attributes *attributes,
                                struct fm_event_bytes *bytes, const struct fm_location_maps *maps)
{
    const uint8_t *end = fm_bytes_open(bytes);
    if (end == NULL) {
        return false;
    }
    uint64_t length = (uint64_t)(end - bytes->at);
    uint32_t count = fm_bytes_word(bytes);
    if (count > FM_EVENT_ATTRIBUTES - attributes->count ||
        length > count * LONGEST_ATTRIBUTE + LONGEST_COUNT) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (bytes->at > end) {
            return false;
        }
        struct fm_event_attribute attribute = {.reference = fm_bytes_word(bytes)};
        attribute.type = fm_bytes_byte(bytes);
        attribute.value = decode_value(bytes, attribute.type);
        if (contains(attributes, attribute.reference, maps)) {
            return false;
        }
        attributes->items[attributes->count++] = attribute;
    }
    if (bytes->damaged || bytes->at > end) {
        return false;
    }
    bytes->at = end;
    return true;
}
