/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The local definitions of a location: its mapping tables and its clock. OTF2's reader applies them
 * itself; the decoder needs them, and so do the lines of calls: if a location has a mapping table
 * of source code locations, its local references of regions also determine the line of each call
 * (docs/call-paths.md), which is lost once OTF2 has mapped the references. Private to src/trace.
 */
#ifndef FERMATA_TRACE_READ_LOCATION_MAPS_H
#define FERMATA_TRACE_READ_LOCATION_MAPS_H

#include "base/containers/vector.h"
#include "trace/archive/event_file.h"
#include "trace/clock/clock_correction.h"

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>

enum fm_location_map {
    FM_MAP_REGIONS,
    FM_MAP_LINES,
    FM_MAP_COMMUNICATORS,
    FM_MAP_WINDOWS,
    FM_MAP_GROUPS,
    FM_MAP_STRINGS,
    FM_MAP_ATTRIBUTES,
    FM_MAP_METRICS,
    FM_MAP_PARAMETERS,
    FM_MAP_CONTEXTS,
    FM_MAP_GENERATORS,
    FM_MAP_KINDS
};

/** Zeroed: there are no tables. */
struct fm_location_maps {
    FM_VECTOR(uint32_t)
    of[FM_MAP_KINDS]; /**< OTF2_UNDEFINED_UINT32: the reference stays as it is */
    struct fm_clock_correction clock;
    bool unusable; /**< a table is too large to be kept: `of` is empty */
    bool inexact;  /**< OTF2 may map references or times differently; lines are right */
    bool damaged;  /**< not readable to their end: the events cannot be interpreted */
};

/** Reads the local definitions of a location, of which OTF2 keeps mapping tables and clock offsets
 * as well.
 * @param anchor path of the anchor file
 * @param files  of the archive's local definitions
 * @param maps   out: to be freed */
void fm_location_maps_read(OTF2_Reader *archive, const char *anchor, struct fm_event_files *files,
                           uint64_t location, struct fm_location_maps *maps);

/** Whether calls have lines; then references in events are mapped by fm_location_map(). */
static inline bool fm_location_has_lines(const struct fm_location_maps *maps)
{
    return maps->of[FM_MAP_LINES].count != 0;
}

/** Whether fm_location_map() and `clock` do what OTF2's reader would do. */
static inline bool fm_location_maps_are_exact(const struct fm_location_maps *maps)
{
    return !maps->unusable && !maps->inexact;
}

/** @return the archive's reference for one in the location's events; maps == NULL: OTF2 has mapped
 * it already. */
static inline uint32_t fm_location_map(const struct fm_location_maps *maps,
                                       enum fm_location_map kind, uint32_t number)
{
    if (maps == NULL || number >= maps->of[kind].count ||
        maps->of[kind].items[number] == OTF2_UNDEFINED_UINT32) {
        return number;
    }
    return maps->of[kind].items[number];
}

void fm_location_maps_free(struct fm_location_maps *maps);

#endif
