/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Costs of the stages of an analysis: wall time, processor time of the workers, and the records and
 * bytes that were handled. Stages follow one another without gaps, so that their wall times add up
 * to the total.
 */
#ifndef FERMATA_ENGINE_STAGE_TIMES_H
#define FERMATA_ENGINE_STAGE_TIMES_H

#include "base/memory.h"
#include "engine/team/team.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define FM_MOST_STAGES 48 /**< later stages count for the last one */

struct fm_stage_time {
    const char *name;
    double seconds;   /**< wall time */
    uint64_t records; /**< events that were read, records that were sent; 0: not counted */
    uint64_t bytes;   /**< of these records */
    uint32_t workers;
    double least_cpu, cpu, most_cpu; /**< seconds of processor time: the least of a worker, the sum
                                          over all workers, the most of a worker */
};

/** Processor time of one worker in the current stage. */
struct fm_worker_time {
    uint64_t nanoseconds;
    unsigned char apart[FM_APART];
};

/** {0}: no stage has begun. */
struct fm_stage_times {
    bool counts_files; /**< in: the size of the archive is to be counted */
    struct fm_stage_time stages[FM_MOST_STAGES];
    atomic_uint count;                  /**< stages that have begun */
    atomic_uint_fast64_t done, planned; /**< events of the current stage; planned 0: unknown */
    uint64_t begun, begun_cpu; /**< wall and processor time of the stage's begin, nanoseconds */
    struct fm_worker_time *worker_times;
    uint32_t workers;
};

/** Ends the current stage and begins the next one. To be called by one thread, the caller of
 * fm_engine_run(); nothing happens if `times` is NULL.
 * @param name  static text */
void fm_stage_begin(struct fm_stage_times *times, const char *name);

/** Ends the current stage. */
void fm_stage_end(struct fm_stage_times *times);

/** Adds to the records and bytes of the current stage. */
void fm_stage_count(struct fm_stage_times *times, uint64_t records, uint64_t bytes);

/** Sets the number of workers of the current and later stages, if it is larger than before. */
void fm_stage_workers(struct fm_stage_times *times, uint32_t workers);

/** Adds the records, bytes and processor times of all processes of the team; wall times remain
 * those of this process. To be called when all stages have ended; collective. */
void fm_stage_times_collect(struct fm_stage_times *times, struct fm_team *team);

/** Frees the memory that `times` owns. */
void fm_stage_times_free(struct fm_stage_times *times);

/** @return nanoseconds of processor time of the calling thread. */
uint64_t fm_thread_nanoseconds(void);

#endif
