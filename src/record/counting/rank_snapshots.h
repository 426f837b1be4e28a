/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Snapshots of the counters of this process that the program or a signal demands, in
 * EXPERIMENT/counters/snapshots.N: each time that a phase begins (--snapshot phase:NAME), or when a
 * signal has arrived (--snapshot signal:NAME), and once more at the end of the run. Rows are those
 * of counters/counter_snapshot.h; seconds count from the begin of the process. A file ends at 256
 * MiB.
 *
 * A snapshot writes to the file, which takes some microseconds: between calls, in the thread that
 * begins the phase, or in the first one that records a call after the signal.
 */
#ifndef FERMATA_RECORD_COUNTING_RANK_SNAPSHOTS_H
#define FERMATA_RECORD_COUNTING_RANK_SNAPSHOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fm_thread;

/** Environment variable: seconds (no action here), `phase:NAME` or `signal:USR2`. */
#define FM_SNAPSHOT_VARIABLE "FERMATA_SNAPSHOT"

/** Opens the file, if snapshots are asked for, and installs the handler of the signal, unless the
 * program has one. Called once, when the file of counters is open.
 * @return NULL; or why there are no snapshots, in static memory */
const char *fm_rank_snapshots_begin(const char *directory, uint32_t rank);

/** Whether a region is the phase with snapshots. Thread-safe. */
bool fm_rank_snapshots_is_phase(const char *name, size_t length);

/** Takes a snapshot. Called by a thread between its calls, which counts its records first. errno is
 * preserved. */
void fm_rank_snapshots_take(struct fm_thread *thread);

/** Takes a snapshot if the signal has arrived. Called when the records of a thread are counted. */
void fm_rank_snapshots_look(void);

/** Takes the last snapshot, with the counters complete. */
void fm_rank_snapshots_end(void);

#endif
