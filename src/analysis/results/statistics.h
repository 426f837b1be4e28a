/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Statistics of the wait states: distribution of each kind's waiting times, and the worst ones. */
#ifndef FERMATA_ANALYSIS_RESULTS_STATISTICS_H
#define FERMATA_ANALYSIS_RESULTS_STATISTICS_H

#include "analysis/clocks/wait_errors.h"
#include "cube/model/cube.h"

/** @return the kind of wait state that a metric is a form of: wrong order is a form of Late Sender
 * or Late Receiver. */
fm_metric_t fm_wait_kind(fm_metric_t metric);

/** The statistics of all kinds that occur, ascending by metric. */
struct fm_statistics_list {
    struct fm_cube_statistics *items;
    uint32_t count;
    struct fm_recorder_time recorder; /**< 0: errors are not known */
};

/** Computes the statistics after the arbitration, the same on all processes of the team. Runs
 * stages; collective.
 * @param begin  of the run, ticks of the trace clock
 * @return to be freed with fm_statistics_free() */
struct fm_statistics_list fm_statistics_compute(struct fm_analysis *analysis, uint64_t begin);

/** Adds the statistics to the cube. */
fm_status_t fm_statistics_fill(const struct fm_statistics_list *list, struct fm_cube *cube,
                               struct fm_error *error);

void fm_statistics_free(struct fm_statistics_list *list);

#endif
