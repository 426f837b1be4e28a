/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The work of `fermata analyze`.
 */
#ifndef FERMATA_CLI_ARCHIVE_ANALYZE_TRACE_H
#define FERMATA_CLI_ARCHIVE_ANALYZE_TRACE_H

#include "base/containers/vector.h"
#include "cli/archive/analysis_options.h"
#include "patterns/selection.h"

#include <stdbool.h>

/** Whether gains are predicted by replays. */
enum fm_predict_choice {
    FM_PREDICT_AUTO, /**< if the run has at most FM_PREDICT_EVENTS events, and memory is not limited
                      */
    FM_PREDICT_YES,
    FM_PREDICT_NO
};

/** Replays of longer runs are made when asked for. */
#define FM_PREDICT_EVENTS UINT64_C(10000000)

/** What is to be done. */
struct fm_analyze_request {
    const char *archive;
    char *output;                     /**< the report */
    const char *page;                 /**< for the browser; NULL: none */
    bool no_sources;                  /**< the page has no excerpts of the program's sources */
    const char *library;              /**< MPI library of the team; NULL: a process alone */
    struct fm_chosen_options chosen;  /**< the team is set by the work */
    FM_VECTOR(const char *) patterns; /**< files of the user's patterns */
    struct fm_pattern_selection selection;
    const char *only, *without; /**< as the user states the selection; NULL: not */
    const char *progress;       /**< "target", "async": as chosen; NULL: as the experiment says */
    enum fm_predict_choice predict;
    bool quiet;
    bool verbose;       /**< print the times of the stages, unless `quiet` */
    fm_status_t status; /**< what was wrong with the command line, FM_OK: nothing */
    struct fm_error error;
};

/** Analyses a trace and writes the report, together with the other processes that were launched.
 * Prints what comes of it. To be run isolated (cli/archive/isolated_command.h).
 * @param request  struct fm_analyze_request
 * @return exit status, which is the same for all processes */
int fm_analyze_trace(void *request);

#endif
