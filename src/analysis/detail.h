/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The individual events that a report summarizes, for timelines: the tables of the run with all
 * wait states and all matched messages.
 */
#ifndef FERMATA_ANALYSIS_DETAIL_H
#define FERMATA_ANALYSIS_DETAIL_H

#include "analysis/analysis.h"
#include "analysis/locks/lock_queue.h"
#include "analysis/model/findings.h"

/** A message: from the call that started its send to the call that completed its receive. */
struct fm_detail_message {
    uint32_t send_location, send_activity;
    uint32_t receive_location, receive_activity;
    uint32_t bytes;                       /**< UINT32_MAX: that or more */
    uint32_t record_location, record_row; /**< its record among the receives of that location */
};

typedef FM_VECTOR(struct fm_detail_message) fm_detail_messages;

/** A part of a wait state in which a call path of a location is blamed for it
 * (causes/blame/blame.h). */
struct fm_detail_blame {
    uint64_t from, to; /**< ticks of the trace's clock; from < to */
    uint32_t waiter;   /**< location that waits */
    uint32_t activity; /**< call that waits */
    uint32_t location; /**< that is blamed */
    uint32_t callpath; /**< node of the call forest; FM_NONE: outside of all regions */
};

typedef FM_VECTOR(struct fm_detail_blame) fm_detail_blames;

struct fm_dependencies;

struct fm_detail {
    struct fm_trace *trace; /**< with all records */
    uint32_t open_ends; /**< locations that ended inside of calls: nothing can be predicted then */
    struct fm_findings *findings; /**< by location: its candidates and, in `waits`, which of them
                                       are wait states */
    fm_detail_messages *messages; /**< by receiving process, in the order of completion */
    struct fm_dependencies *dependencies; /**< NULL: not asked for */
    fm_kept_holds holds;                  /**< of locks */
    fm_detail_blames blames;  /**< ascending by waiter, activity and time; none unless asked for, or
                                   if wait states cause themselves (wrong clocks) */
    struct fm_time_maps maps; /**< repairs of the clocks, to which the trace refers */
    struct fm_stage_times *times; /**< those of the options: replays add the processor times of
                                       their workers to the current stage; NULL */
};

/** Analyses an archive and returns its individual events besides the report. For an analysis by a
 * single process, which holds all events.
 * @param cube    NULL: no report, only the individual events
 * @param detail  out: to be freed with fm_detail_free(); set only on success; NULL if the options
 *                ask for dependencies only, and there are too many events
 * Otherwise as fm_analysis_run(). */
fm_status_t fm_analysis_run_in_detail(const char *archive,
                                      const struct fm_analysis_options *options,
                                      struct fm_cube **cube, struct fm_detail **detail,
                                      struct fm_error *error);

/** Frees a detail with all of its tables. NULL is allowed. */
void fm_detail_free(struct fm_detail *detail);

#endif
