/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The file with the counters of this process (counters/counter_layout.h):
 * EXPERIMENT/counters/rank.N. It is made when the run begins, and mapped, so that others read it at
 * any time and its contents survive the process. All of its room is allocated before it is used: a
 * full file system ends the counting of further threads, and nothing else. Mode 0600.
 *
 * Not in a forked child: it would count into the file of its parent.
 */
#ifndef FERMATA_RECORD_COUNTING_COUNTER_FILE_H
#define FERMATA_RECORD_COUNTING_COUNTER_FILE_H

#include "record/capture/hot.h"
#include "record/paradigm/region.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fm_counter_description;
struct fm_thread;

/** A counter that recorded.def does not have. */
struct fm_added_counter {
    const char *name, *unit;
    uint32_t kind;         /**< enum fm_counter_kind */
    uint32_t tier;         /**< enum fm_counter_tier; FM_TIER_UNAVAILABLE: it has no words */
    uint32_t bins;         /**< 1: none */
    uint32_t sentinel;     /**< of a watermark of the process: first word of its level; 0: none, it
                              cannot be reset */
    const uint64_t *rules; /**< largest values of all bins but the last; NULL: none of their own */
    const char *meaning;   /**< of an unavailable counter the reason */
};

/** Brings the counters of a source up to date: values of the block of the process, behind its head.
 * Called by one thread at a time, with the block's sequence number odd. */
typedef void fm_counter_reader_t(uint64_t *values);

/** Environment variable with the counters that are asked for, as a list (counters/catalogue.h). */
#define FM_COUNTERS_VARIABLE "FERMATA_COUNTERS"

/** Environment variable: 1, yes, true or on: records are counted and not kept. */
#define FM_COUNTERS_ONLY_VARIABLE "FERMATA_COUNTERS_ONLY"

/** Whether counters are asked for. */
bool fm_counters_are_asked(void);

/** Whether nothing but counters is asked for: threads discard their records when they have counted
 * them. Constant from the first call on. Thread-safe. */
bool fm_counters_only(void);

/** Creates the file and begins to count the calls of all threads, from their first one on. Called
 * once, when the run begins. errno is not preserved. Without room for the file there is none.
 * @param directory  of the experiment; stays where it is, and is read later, too
 * @return false: nothing is counted, because of errno */
bool fm_counter_file_open(const char *directory, uint32_t rank, uint32_t size,
                          const struct fm_recorded_region *regions, size_t region_count);

/** Adds functions that a paradigm has brought. Before the file is open: no action; opening adds all
 * functions. */
void fm_counter_file_functions(const struct fm_recorded_region *regions, size_t first,
                               size_t count);

/** Number of functions that have words in each block. */
size_t fm_counter_file_functions_counted(void);

/** Gives a new thread counters, if the file is open. errno is preserved. */
void fm_counter_file_attach(struct fm_thread *thread);

/** Adds a counter; the file is open. Thread-safe. errno is preserved.
 * @return its first word behind the head of each block; 0: unavailable, or there is no room */
uint32_t fm_counter_file_add(const struct fm_added_counter *counter);

/** Calls `reader` from now on each time that the values of the process are brought up to date.
 * Called once for each source, when the run begins. */
void fm_counter_file_read_by(fm_counter_reader_t *reader);

/** The list of counters that are asked for; NULL: none are. */
FM_API const char *fm_counters_asked(void);

/** Descriptions of the counters, while the file is open; else none. */
const struct fm_counter_description *fm_counter_file_descriptions(size_t *count);

/** Block of the process, while the file is open. */
uint64_t *fm_counter_file_process(void);

/** Stores the rate of the clock so far, and what the kernel and other sources count for the
 * process. Takes no lock; changes nothing once the file is complete. */
void fm_counter_file_tick(void);

/** Marks the file as complete, at the regular end of the run; once. */
void fm_counter_file_close(void);

/** Orders the odd sequence number of a block before the values that are written behind it, for
 * readers in other processes. ThreadSanitizer does not support fences, and does not see those
 * processes. */
static inline void fm_counter_fence(void)
{
#ifdef __SANITIZE_THREAD__
    __atomic_signal_fence(__ATOMIC_RELEASE);
#else
    __atomic_thread_fence(__ATOMIC_RELEASE);
#endif
}

#endif
