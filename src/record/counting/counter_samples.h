/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Counters in the trace: samples of the counters of the process (OTF2: Metric events) in its first
 * thread, each time that its records are written to disk, at snapshots that it takes itself, and in
 * the last call. Only what has changed since the sample before, of the counters that are asked for;
 * not those of single functions and not those with bins. Times are in nanoseconds.
 */
#ifndef FERMATA_RECORD_COUNTING_COUNTER_SAMPLES_H
#define FERMATA_RECORD_COUNTING_COUNTER_SAMPLES_H

#include <stdint.h>

struct fm_thread;

/** Defines the counters in the archive that are open so far and not defined. Called when the run
 * begins, in its first thread. */
void fm_counter_samples_begin(void);

/** Records the present values, if the thread is the first one. Called by the thread itself, between
 * its calls, or in one before its record is written. errno is preserved.
 * @param time  clock ticks, not before the thread's last event */
void fm_counter_samples_record(struct fm_thread *thread, uint64_t time);

#endif
