/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Common part of formats that show a timeline: the events of the run, the requested time window and
 * ranks, and times in nanoseconds.
 */
#ifndef FERMATA_EXPORT_EVENT_SOURCE_H
#define FERMATA_EXPORT_EVENT_SOURCE_H

#include "export/export.h"
#include "timeline/arrows.h"

struct fm_event_source {
    struct fm_detail *detail;
    struct fm_cube *cube; /**< the report of this analysis */
    fm_arrows arrows;     /**< between the locations shown */
    uint64_t begin;       /**< begin of the run, ticks */
    uint64_t from, to;    /**< rendered span, ticks */
    uint32_t first_location, end_location;
};

/** Analyses the archive of a request again to obtain its single events.
 * @param events  out: to be released with fm_event_source_close(); set only on success */
fm_status_t fm_event_source_open(struct fm_event_source *events,
                                 const struct fm_export_request *request, struct fm_error *error);

/** Closes the source and frees its memory. */
void fm_event_source_close(struct fm_event_source *events);

/** @return the region of the report that a node of a location's call tree is: for its name. A value
 * of a parameter is a region there. */
const struct fm_cube_region *fm_event_region_of(const struct fm_event_source *events,
                                                uint32_t location, uint32_t visit);

/** @return nanoseconds since the begin of the run, rounded down. */
uint64_t fm_event_nanoseconds(const struct fm_event_source *events, uint64_t time);

#endif
