/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Brief calls that repeat are merged: failed tests (MPI_Test, MPI_Iprobe, shmem_test, trylock, ...)
 * and local calls (MPI_Wtime, MPI_Comm_rank, ...). A loop of them would otherwise write millions of
 * records a second. Instead, its records at the end of the thread's buffer are changed in place:
 *
 *     ... CALL MERGED details  STACK CALL MERGED details  <- cursor
 *         entry 0                    entry 1
 *
 * A group is such a sequence of entries: the different calls of the loop, one entry for each
 * function, call stack and details (records of the call, such as those of the tested requests). A
 * call that an entry stands for is added to it: the MERGED record counts the calls, the duration in
 * the CALL record is that of its calls and of the gaps behind them (the time up to the next call of
 * the group), and the MERGED record has the gaps. Calls that test one request of several, one after
 * the other, are one entry with a detail for each request.
 *
 * The conversion writes the entries one after the other from the Enter of the first call on, so
 * that the sum of their durations is the time of the loop. Where a call was in that time is lost;
 * the loop is therefore cut after some milliseconds.
 *
 * A call is added only if nothing else was recorded since the last one (another call, a sample, a
 * mark, a pause), and if the gap before it is short: below 2 us, or below 100 us and no longer than
 * the last failed test of the group. Useful work between tests therefore ends a group.
 *
 * An interrupt, or a processor that is lost for a while, makes a gap that is not short, some
 * thousand times a second on some machines. Such a gap ends the group, too; but if it is shorter
 * than 1 ms, if 100 short gaps lie directly before it, and 100 directly behind it, the group that
 * it began is joined with the one before.
 *
 * A call of an entry whose call stack is not that of the last entry needs a STACK record, as long
 * as it is not known that it is added to the entry: the record is written in front of it when the
 * call begins, and the state of the stack (stack.h) takes its change over if the call is not added.
 *
 * Other threads and signal handlers that read the records (fm_thread_settle) end the group, except
 * for a call whose end is being recorded at that moment: the records that they read may lack it.
 */
#ifndef FERMATA_RECORD_BRIEF_MERGED_CALLS_H
#define FERMATA_RECORD_BRIEF_MERGED_CALLS_H

#include "record/capture/hot.h"
#include "record/stack/registers.h"

#include <stdbool.h>
#include <stdint.h>

struct fm_stack_state;
struct fm_thread;

/** Entries of a group, and words of an entry's details, at most. */
enum { FM_MERGED_ENTRIES = 16, FM_MERGED_DETAILS = 256 };

/** A different call of a loop. */
struct fm_merged_entry {
    uint64_t *call; /**< its CALL record, which MERGED and the details follow */
    uint32_t function;
    uint32_t words;                     /**< of the details */
    uint32_t hint;                      /**< place of the detail that was found last, in words */
    uint32_t next;                      /**< entry of the call that followed last */
    const struct fm_stack_state *state; /**< its call stack in the cache; NULL: it is not there */
    uint32_t stamp;                     /**< of the state (fm_stack_state.stamp) */
};

/** What the end of the open call has to do: bits of fm_merging.attention. */
enum {
    FM_MERGED_EXPECTED = 1, /**< `expected` is set */
    FM_MERGED_LOCAL = 2,    /**< the call is a local one; `call` is set */
    FM_MERGED_TEST = 4      /**< the call is a failed test; `call` is set */
};

/** A group. */
struct fm_merged_group {
    uint64_t *end;      /**< of its records; NULL: there is no group */
    uint32_t count;     /**< entries */
    uint32_t last;      /**< entry of the last call */
    uint32_t saves;     /**< fm_thread.saves at its begin */
    uint32_t short_run; /**< short gaps directly before its last call, also before the group */
    uint64_t begin;     /**< Enter of its first call */
    uint64_t test;      /**< duration of its last failed test; 0: none */
    struct fm_merged_entry entries[FM_MERGED_ENTRIES];
};

/** What a thread merges. Zeroed = nothing. */
struct fm_merging {
    uint32_t attention;               /**< not 0: the end of the open call calls fm_merged_leave */
    bool has_prior;                   /**< `prior` may be joined with `group`, which follows it */
    struct fm_merged_entry *expected; /**< entry with the function and call stack of the open call;
                                           NULL: none */
    uint64_t before;                  /**< Leave of the call before */
    uint64_t *base;                   /**< end of the records at the begin of the open call */
    uint64_t *placed;                 /**< `base`, or behind the STACK records that followed */
    uint64_t *call;                   /**< CALL record of the open call, a brief one */
    struct fm_merged_group group;
    struct fm_merged_group prior;
    uint64_t between; /**< ticks from the last call of `prior` to the first of `group` */
};

/** Begins to merge calls; before, nothing is merged. Called once.
 * @param resolution  clock ticks per second */
void fm_merged_begin(uint64_t resolution);

/** Called at the begin of a call while there is a group, instead of fm_thread_note_stack: looks for
 * an entry that may stand for the call. */
FM_API void fm_merged_enter(struct fm_thread *thread, struct fm_here here);

/** Called at the end of a call, when its records are complete and not yet counted, if
 * fm_merging.attention is set. Adds the call to an entry, or makes it an entry, if it is a brief
 * one. O(entries + details). */
FM_API void fm_merged_leave(struct fm_thread *thread);

/** Ends the open call, if it is a brief one that only adds to the entry that was expected: its
 * records need not be written. Called before the call has written any.
 * @param time    of its end
 * @param detail  what it tests: a REQUEST_TEST or OPERATION_TEST record; NULL: nothing
 * @param is_test it is a failed test, else a local call
 * @return false: nothing was done; the call ends as others do */
FM_API bool fm_merged_add(struct fm_thread *thread, uint64_t time, const uint64_t *detail,
                          bool is_test);

/** Ends the group, for records that are about to be saved or discarded. Called by the thread. */
void fm_merged_end(struct fm_thread *thread);

#endif
