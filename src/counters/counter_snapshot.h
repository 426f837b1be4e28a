/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Snapshots of the counters of a run while it runs: EXPERIMENT/counters/snapshots.csv. A reader
 * takes them: the processes of the run do nothing for it. Not thread-safe.
 *
 * The file has a header and rows `seconds,rank,counter,value`. Seconds count from the begin of the
 * earliest process, with nine digits. Each snapshot begins with a row without rank, counter and
 * value; then the counters follow that are not as in the snapshot before (of the first one: that
 * are not 0). Values are totals since the begin of the run, of times in seconds. A counter with
 * bins has its sum. The values of a rank are of the same moment for each of its threads.
 */
#ifndef FERMATA_COUNTERS_COUNTER_SNAPSHOT_H
#define FERMATA_COUNTERS_COUNTER_SNAPSHOT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fm_snapshots;

/** Name of the file in the folder `counters`. */
#define FM_SNAPSHOT_FILE "snapshots.csv"

/** Begins snapshots of the counters that the recording asked for.
 * @param directory  of the experiment, whose processes have begun to count
 * @return FM_OK; FM_ERR_DATA, FM_ERR_SYSTEM: no counters (so far), or the file cannot be written or
 *         exists */
fm_status_t fm_snapshots_begin(const char *directory, struct fm_snapshots **snapshots,
                               struct fm_error *error);

/** Takes a snapshot. Processes that have begun meanwhile are in it.
 * @return false: the file cannot be written, or has reached 1 GiB */
bool fm_snapshots_take(struct fm_snapshots *snapshots);

/** Whether a process is running, or may be. */
bool fm_snapshots_go_on(const struct fm_snapshots *snapshots);

/** Ends them. NULL is allowed. @return number of snapshots */
size_t fm_snapshots_end(struct fm_snapshots *snapshots);

#endif
