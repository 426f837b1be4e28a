/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Time windows with about the same number of wait states each, which bounds the number of wait
 * states that are processed at once. */
#ifndef FERMATA_ANALYSIS_CAUSES_TIME_WINDOWS_H
#define FERMATA_ANALYSIS_CAUSES_TIME_WINDOWS_H

#include "analysis/model/busy_time.h"

#define FM_WAIT_TIME_BINS 4096

/** Histogram of the wait states by the time of their end. */
struct fm_wait_times {
    uint64_t begin, width; /**< ticks: begin of the first bin, width of each bin */
    uint64_t counts[FM_WAIT_TIME_BINS];
};

/** Divides the time of a run into bins; nothing is counted yet. */
void fm_wait_times_begin(struct fm_wait_times *times, const struct fm_trace *trace);

/** Counts the wait states of a location. */
void fm_wait_times_add(struct fm_wait_times *times, const struct fm_wait_list *waits);

struct fm_time_windows {
    uint32_t count;
    uint64_t *ends; /**< last tick of each window; of the last one UINT64_MAX */
};

/** Chooses windows.
 * @param times      of all locations
 * @param locations  number of all locations
 * @param waits      target number of wait states in a window; runs with many locations get larger
 *                   windows, because each window costs an iteration over all locations
 * @return to be freed with fm_time_windows_free() */
struct fm_time_windows fm_time_windows_choose(const struct fm_wait_times *times, uint32_t locations,
                                              uint64_t waits);

void fm_time_windows_free(struct fm_time_windows *windows);

#endif
