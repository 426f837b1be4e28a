/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Lists of attributes in event files (event_decoder.h). Private to src/trace.
 */
#ifndef FERMATA_TRACE_READ_EVENT_ATTRIBUTES_H
#define FERMATA_TRACE_READ_EVENT_ATTRIBUTES_H

#include "trace/archive/event_bytes.h"
#include "trace/read/location_maps.h"

#include <otf2/otf2.h>

/** Largest number of attributes of an event. */
enum { FM_EVENT_ATTRIBUTES = 32 };

struct fm_event_attribute {
    uint32_t reference; /**< as in the file, not mapped */
    OTF2_Type type;
    OTF2_AttributeValue value;
};

struct fm_event_attributes {
    uint32_t count;
    struct fm_event_attribute items[FM_EVENT_ATTRIBUTES];
};

/** Decodes a list after its record number and appends it to `attributes`.
 * @param maps  mapping tables of the location, or NULL
 * @return false if it is damaged, has an attribute twice or more than FM_EVENT_ATTRIBUTES */
bool fm_event_attributes_decode(struct fm_event_attributes *attributes,
                                struct fm_event_bytes *bytes, const struct fm_location_maps *maps);

#endif
