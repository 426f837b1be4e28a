/** @file
 * Common part of formats that show a timeline: the run in detail, the part of it that was asked
 * for, and time in nanoseconds.
 */
#ifndef FERMATA_EXPORT_TIMELINE_H
#define FERMATA_EXPORT_TIMELINE_H

#include "export/export.h"
#include "timeline/arrows.h"

struct fm_export_timeline {
    struct fm_detail *detail;
    struct fm_cube *cube; /**< its report */
    fm_arrows arrows;     /**< between the locations shown */
    uint64_t begin;       /**< of the run, ticks */
    uint64_t from, to;    /**< what is shown, ticks */
    uint32_t first_location, end_location;
};

/** Analyses the archive of a request again, for its single events.
 * @param timeline  out: to be released with fm_export_timeline_close(); set only on success */
fm_status_t fm_export_timeline_open(struct fm_export_timeline *timeline,
                                    const struct fm_export_request *request,
                                    struct fm_error *error);

/** Frees what fm_export_timeline_open() made. */
void fm_export_timeline_close(struct fm_export_timeline *timeline);

/** @return nanoseconds since the begin of the run, rounded down. */
uint64_t fm_export_nanoseconds(const struct fm_export_timeline *timeline, uint64_t time);

/** @return the wait state of a call that can be drawn as a slice inside of it; NULL if it has none,
 * or if calls inside of it overlap with the waiting. */
const struct fm_candidate *fm_export_wait(const struct fm_export_timeline *timeline,
                                          uint32_t location, uint32_t activity);

#endif
