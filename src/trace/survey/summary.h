/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Counts the content of an archive in one pass over all its events.
 */
#ifndef FERMATA_TRACE_SURVEY_SUMMARY_H
#define FERMATA_TRACE_SURVEY_SUMMARY_H

#include "trace/survey/survey.h"

struct fm_summary {
    uint64_t counts[FM_SURVEY_KINDS];
    uint64_t events, defined_events;
    uint64_t first_time, last_time; /**< ticks; only if there are events. Of processes that state
                                       how long they lived, their ends */
    uint64_t open_locations;        /**< that end inside of regions */
    uint64_t *visits;               /**< per region index of the survey */
    uint32_t program;               /**< reference of a string; FM_SURVEY_NONE: not recorded */
    uint64_t unreadable_locations, first_unreadable; /**< id of the first */
    char reason[256];                                /**< why that one is unreadable */
    uint64_t bytes;                                  /**< anchor, definitions and events on disk */
};

/** Reads all events of an open survey. Of a location that cannot be read to its end, the events
 * that could be read count.
 * @param summary  out: to be freed with fm_summary_free() */
void fm_summary_read(struct fm_survey *survey, struct fm_summary *summary);

/** Bytes of an archive on disk: anchor, definitions and events.
 * @param anchor  path of the anchor file. Not thread-safe. */
uint64_t fm_summary_bytes(const char *anchor);

/** Frees what the summary owns. */
void fm_summary_free(struct fm_summary *summary);

#endif
