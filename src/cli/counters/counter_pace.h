/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Changes of the counters of a running program from one reading to the next.
 */
#ifndef FERMATA_CLI_COUNTERS_COUNTER_PACE_H
#define FERMATA_CLI_COUNTERS_COUNTER_PACE_H

#include "counters/counter_job.h"

/** Sees a reading of the job. @param now  its time, seconds */
typedef void fm_counter_pace_look_t(void *context, const struct fm_counter_job *job, double now);

/** The previous reading. */
struct fm_counter_pace {
    size_t ranks;
    double **values; /**< by rank and number of the counter in its file */
    size_t *counts;
    double last;                  /**< time of the previous reading, seconds */
    double begin;                 /**< time of the first one */
    double seconds;               /**< between the last two readings */
    double elapsed;               /**< from the first reading to the last */
    fm_counter_pace_look_t *look; /**< called for each reading, also within a period; NULL: none */
    void *context;
};

/** Takes the first reading from the job as it is. */
void fm_counter_pace_begin(struct fm_counter_pace *pace, const struct fm_counter_job *job);

/** Waits for `period` seconds and reads the job. Ends early if a process that was running ends. */
void fm_counter_pace_wait(struct fm_counter_pace *pace, struct fm_counter_job *job, double period);

/** Makes the present reading the previous one. */
void fm_counter_pace_next(struct fm_counter_pace *pace, const struct fm_counter_job *job);

/** Takes in processes that have begun since: late ranks and spawned worlds. All previous readings
 * are then those of now. @return whether there are any: positions of ranks have changed then */
bool fm_counter_pace_take_others(struct fm_counter_pace *pace, struct fm_counter_job *job);

void fm_counter_pace_end(struct fm_counter_pace *pace);

/** Whether a process is running, or may be. */
bool fm_counter_pace_goes_on(const struct fm_counter_job *job);

/** What a counter of the job has changed by since the previous reading, in all ranks together; of a
 * watermark, the change of the extreme. */
double fm_counter_pace_change(const struct fm_counter_pace *pace, const struct fm_counter_job *job,
                              size_t counter);

/** The same for one rank and the counter `number` of its file. */
double fm_counter_pace_change_in(const struct fm_counter_pace *pace,
                                 const struct fm_counter_job *job, size_t rank, size_t number);

#endif
