/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Counts what a thread records: calls and their times, messages, bytes, collectives, one-sided
 * operations. Counters are made of the records of calls (record.h), after each call, by the thread
 * itself: every paradigm is counted, nothing is counted twice, and counters agree with the trace.
 *
 * What is not recorded because recording is paused is not counted either, except where only the
 * size limit pauses it.
 *
 * A thread's counters are a block of the file of its process (counters/counter_layout.h,
 * counter_file.h).
 */
#ifndef FERMATA_RECORD_COUNTING_COUNT_H
#define FERMATA_RECORD_COUNTING_COUNT_H

#include "record/capture/hot.h"

#include <stdbool.h>
#include <stdint.h>

struct fm_call_profile;
struct fm_thread;
struct fm_peer_traffic;

/** The counting of a thread; its memory is valid to the end of the process. */
struct fm_counting {
    const uint64_t *from;   /**< first record that is not counted; NULL: none is counted so far */
    uint64_t *block;        /**< the block, head included */
    const uint64_t *resets; /**< requests of readers to reset watermarks, in the file's head */
    uint32_t functions;     /**< number of functions that have words in the block */
    uint32_t function;      /**< of the call counted last */
    uint64_t removed;       /**< words that are counted, and were removed since; later ones pay */
    uint64_t above;         /**< BYTES_ABOVE record before the next record; 0: none */
    struct fm_call_profile *profile; /**< calls by call path; NULL: not asked for */
    struct fm_peer_traffic *traffic; /**< by communicator and peer; NULL: not asked for */
    bool off;                        /**< records are those of a pause */
    bool discards;                   /**< records are discarded at the end of the call */
};

/** Called once, before the first thread is counted. */
void fm_count_begin(void);

/** Counts the records of a call at its end, and those since the last call. Called by the thread
 * itself, which has a counting. No lock, no system call. */
FM_API void fm_count_call(struct fm_thread *thread);

/** Counts the records of a call that is merged with others: like fm_count_call, before they are
 * removed.
 * @param kept  words of them that stay */
void fm_count_merged(struct fm_thread *thread, uint64_t kept);

/** Some of the last records of the thread, which are counted, are about to be removed.
 * @param words  their size */
void fm_count_removed(struct fm_thread *thread, uint64_t words);

/** Before the thread's records so far are left or discarded: counts them. No action if the thread
 * is not counted. */
void fm_count_rest(struct fm_thread *thread);

/** At the end of the run (fm_threads_end): counts what other threads have recorded since their last
 * call, such as workers of OpenMP, which make none. Threads that are in a call are left out.
 * @param self  the calling thread; may be NULL */
void fm_count_others(const struct fm_thread *self);

/** After fm_count_rest, when the thread's place for records has changed. */
void fm_count_from_here(struct fm_thread *thread);

/** Sets the model of communication that a function belongs to: enum fm_counter_model, or
 * FM_COUNTER_MODELS: none. Called before the function is. */
void fm_count_model(uint32_t function, uint32_t model);

#endif
