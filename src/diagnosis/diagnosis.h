/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The input of the diagnosis of a run: the sealed cube, its totals, and options for its sentences.
 * The report in the terminal and the page in the browser show the results of the other files of
 * this folder: problems, symptoms, observations, shares of all time, efficiencies. All time is the
 * run time of all locations without the start-up and shut-down of libraries (startup.h).
 */
#ifndef FERMATA_DIAGNOSIS_DIAGNOSIS_H
#define FERMATA_DIAGNOSIS_DIAGNOSIS_H

#include "cube/view/view.h"
#include "diagnosis/process_word.h"

#include <stdbool.h>

/** Options for the sentences of a diagnosis. */
struct fm_diagnosis_options {
    unsigned width;  /**< columns of a line, to which call paths are shortened; 0: no limit */
    bool utf8;       /**< output may contain non-ASCII characters */
    bool is_subtree; /**< the cube is restricted to a call path and all call paths below it */
};

struct fm_diagnosis {
    const struct fm_cube *cube; /**< sealed */
    struct fm_diagnosis_options options;
    struct fm_process_word process;      /**< what its processes are called */
    int64_t metrics[FM_METRIC_COUNT];    /**< inclusive totals of the whole cube */
    int64_t exclusive[FM_METRIC_COUNT];  /**< exclusive totals of the whole cube */
    int64_t startup_of[FM_METRIC_COUNT]; /**< what of `exclusive` is start-up and shut-down */
    int64_t open_of[FM_METRIC_COUNT];    /**< what of it is in calls that were never left
                                            (hang/open_time.h) */
    int64_t time;            /**< all time: the time of all locations without start-up, ticks */
    int64_t startup;         /**< start-up and shut-down on all locations, ticks */
    int64_t longest_startup; /**< of one location */
    int64_t waiting;         /**< sum of all wait states within `time`, ticks */
};

/** Adds up the totals of a cube.
 * @param cube       sealed; must outlive the diagnosis
 * @param diagnosis  out: nothing to be released; set only on success */
fm_status_t fm_diagnosis_make(struct fm_diagnosis *diagnosis, const struct fm_cube *cube,
                              const struct fm_diagnosis_options *options, struct fm_error *error);

/** @return the kind of wait state that `metric` is or belongs to; FM_METRIC_NONE: none. */
fm_metric_t fm_wait_state_kind(fm_metric_t metric);

#endif
