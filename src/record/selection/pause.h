/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Recording may be paused and resumed, in all threads of the process together.
 *
 * In a paused process the wrappers continue to track communicators, windows and requests. Before
 * the next call of a thread, the records of its last call are folded into counts (unrecorded.h) and
 * their buffer space is reused. When recording resumes, the counts become records. Regions of user
 * code that were left or entered during the pause become records, too.
 *
 * A thread detects a switch at its next call or record. The hot path has no additional test for it:
 * a switch sets the time of the thread's next flush to 0.
 *
 * Without a trace (--counters-only) there is nothing to continue after a pause: calls that leave
 * nothing behind, no object and no request, are not even noted then (fm_calls_are_off). Threads see
 * the switches when they resume.
 */
#ifndef FERMATA_RECORD_SELECTION_PAUSE_H
#define FERMATA_RECORD_SELECTION_PAUSE_H

#include "record/capture/hot.h"
#include "record/selection/unrecorded.h"
#include "record/stack/registers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fm_chunk;
struct fm_thread;

/** State of the pause in one thread. Zeroed = recording. */
struct fm_thread_pause {
    uint32_t seen;          /**< number of switches that the thread has processed */
    bool paused;            /**< new records are to be folded */
    bool broken;            /**< there was no memory: counts are missing */
    bool is_counted;        /**< counters count what is not recorded (counting/count.h) */
    struct fm_chunk *chunk; /**< where folding begins */
    uint64_t *mark;
    uint32_t function; /**< of the call whose records were folded last */
    size_t common;     /**< number of open regions that were open throughout */
    struct fm_unrecorded_table unrecorded;
    struct fm_stack *stack; /**< call stack of the thread; not captured during a pause */
    struct fm_here here;    /**< the call that the thread is in */
};

/** Reasons for a pause. Recording continues while no reason holds. */
enum fm_pause_reason {
    FM_PAUSE_PROGRAM = 1,  /**< the program calls fm_pause */
    FM_PAUSE_RANK = 2,     /**< the rank was not selected */
    FM_PAUSE_WINDOW = 4,   /**< the time is outside of the selected time window */
    FM_PAUSE_PHASE = 8,    /**< no visit of the selected phase is open */
    FM_PAUSE_SIGNAL = 16,  /**< a signal has switched recording off */
    FM_PAUSE_THINNED = 32, /**< a visit is open that is skipped (size_limit.h) */
    FM_PAUSE_SIZE = 64     /**< the size limit is reached */
};

/** Whether calls that leave nothing behind are not to be noted (wrapper.h). Read without a lock. */
extern FM_API bool fm_calls_are_off;

/** Sets the function that returns names for the function numbers in records. Called once, before
 * all other functions of this file. */
void fm_pause_begin(const char *(*function_name)(uint32_t function));

/** Pauses or resumes. Before the run begins, takes effect at its begin. Idempotent, thread-safe;
 * errno is preserved. */
void fm_pause(void);
void fm_resume(void);

/** Adds or removes a reason to pause; otherwise like fm_pause. */
void fm_pause_for(enum fm_pause_reason reason, bool paused);

/** Like fm_pause_for, for a reason that began or ended at an earlier `time` (clock ticks), after
 * which nothing was recorded. */
void fm_pause_since(enum fm_pause_reason reason, bool paused, uint64_t time);

/** Pauses before `begin` and from `end` on (clock ticks). Called once, before or at the begin of
 * the run. */
void fm_pause_outside(uint64_t begin, uint64_t end);

/** Pauses or resumes for the reason FM_PAUSE_SIGNAL: for signal handlers. */
void fm_pause_toggle(void);

/** Clock tick at which the time window pauses or resumes recording next; UINT64_MAX: none. */
uint64_t fm_pause_next(void);

/** Whether the process is recording (before the run: whether it will be at the begin). */
bool fm_is_recording(void);

/** Applies the reasons so far at the begin of the run. */
FM_API void fm_pause_run_begins(void);

/** Called when the run ends with the current call of the thread. That call is recorded: a pause
 * ends at its Enter.
 * @param thread  may be NULL */
void fm_pause_run_ends(struct fm_thread *thread);

/** Registers a new thread: it is paused if the process is. */
void fm_pause_attach(struct fm_thread *thread);

/** Processes the last switch and folds records. Called by the thread itself, between its calls.
 * @param flush  writes the thread's records to the journal; called where a pause begins
 * @return whether the thread is paused now */
bool fm_pause_attend(struct fm_thread *thread, bool (*flush)(struct fm_thread *thread, bool full));

/** Whether the thread has not yet processed the last switch. */
bool fm_pause_is_due(const struct fm_thread *thread);

/** Whether calls of the thread may have been left out since its last one (fm_calls_are_off): the
 * time in between is not computation. */
bool fm_calls_were_off(const struct fm_thread *thread);

/** Sets the mark: folding begins at the next record of the thread; earlier records stay. */
void fm_pause_mark(struct fm_thread *thread);

/** Folds the records behind the mark into counts. Called by the thread itself, at any time. */
void fm_pause_fold(struct fm_thread *thread);

#endif
