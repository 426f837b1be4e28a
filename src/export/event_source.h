/** @file
 * Common part of formats that show a timeline: the run in detail, the part of it that was asked
 * for, and time in nanoseconds.
 */
#ifndef FERMATA_EXPORT_EVENT_SOURCE_H
#define FERMATA_EXPORT_EVENT_SOURCE_H

#include "export/export.h"
#include "timeline/arrows.h"

struct fm_event_source {
    struct fm_detail *detail;
    struct fm_cube *cube; /**< its report */
    fm_arrows arrows;     /**< between the locations shown */
    uint64_t begin;       /**< of the run, ticks */
    uint64_t from, to;    /**< what is shown, ticks */
    uint32_t first_location, end_location;
};

/** Analyses the archive of a request again, for its single events.
 * @param events  out: to be released with fm_event_source_close(); set only on success */
fm_status_t fm_event_source_open(struct fm_event_source *events,
                                 const struct fm_export_request *request, struct fm_error *error);

/** Frees what fm_event_source_open() made. */
void fm_event_source_close(struct fm_event_source *events);

/** @return nanoseconds since the begin of the run, rounded down. */
uint64_t fm_event_nanoseconds(const struct fm_event_source *events, uint64_t time);

#endif
