/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Rates of what the kernel counts for running ranks. The recorder reads these counters (usage.*)
 * each time that records are written, every 2 s, so that they stay the same in most periods and
 * then jump: a rate is the mean between two such readings, which are recognized by a change of
 * any of these counters.
 */
#ifndef FERMATA_CLI_COUNTERS_COUNTER_KERNEL_RATES_H
#define FERMATA_CLI_COUNTERS_COUNTER_KERNEL_RATES_H

#include "counters/counter_job.h"

/** What the kernel has counted for a rank. */
struct fm_kernel_rate {
    double all;                 /**< sum of the counters at the last reading */
    double faults, preemptions; /**< totals then */
    double at;                  /**< its time, seconds; below 0: not known */
    double faults_per_second;   /**< between the last two readings; below 0: not known */
    double preemptions_per_second;
};

struct fm_kernel_rates {
    size_t ranks;
    struct fm_kernel_rate *of; /**< by position of the rank in the job */
};

/** Begins with the values that the job has; no rate is known before two readings. */
void fm_kernel_rates_begin(struct fm_kernel_rates *rates, const struct fm_counter_job *job);

/** Takes note of the job's values.
 * @param now  when they were read, seconds */
void fm_kernel_rates_take(struct fm_kernel_rates *rates, const struct fm_counter_job *job,
                          double now);

void fm_kernel_rates_end(struct fm_kernel_rates *rates);

#endif
