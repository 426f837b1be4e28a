/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Functions that the compiler has instrumented (-finstrument-functions): they report their
 * begin and end.
 *
 * A function's Enter is written when something is recorded inside it, or when it ends; so a visit
 * shorter than FERMATA_MIN_DURATION leaves no records. The functions whose Enters are written are
 * the outer ones of the open functions.
 *
 * Not every function reports its end: longjmp() and similar functions skip it. A function has ended
 * when the frame of another function is at the place of its own frame, or outside it.
 *
 * Whether a function is recorded is decided at its first call (function_filter.h) and stored with
 * its place (stack/places.h).
 */
#ifndef FERMATA_RECORD_CAPTURE_INSTRUMENTED_FUNCTIONS_H
#define FERMATA_RECORD_CAPTURE_INSTRUMENTED_FUNCTIONS_H

#include "record/capture/hot.h"
#include "record/stack/registers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fm_thread;

/** An instrumented function that is open. */
struct fm_open_function {
    uint64_t function;  /**< address of its first instruction */
    uint64_t call_site; /**< return address of the frame that contains it */
    uint64_t pc;        /**< address at which it reported its begin */
    uint64_t frame;     /**< outer end of the frame, begin of its caller's; all bits: unknown */
    uint64_t time;      /**< time of its begin */
    uint32_t site;      /**< call site of the first instruction */
};

/** Instrumented functions of one thread. Zeroed = none is open. */
struct fm_thread_functions {
    bool due;                      /**< records are missing: common, told and count differ */
    struct fm_open_function *open; /**< outermost first */
    size_t count, room;
    size_t common;    /**< number of outer ones that are also open in the records */
    size_t told;      /**< number of functions that are open in the records */
    uint64_t dropped; /**< visits that were too short */
};

/** Reads the settings of instrumented functions from the environment: FERMATA_MIN_DURATION (see
 * duration.h) and the filter (function_filter.h). Called before the first instrumented function
 * begins.
 * @param tell  prints a message about a failure, like printf */
void fm_functions_begin(void (*tell)(const char *format, ...));

/** Targets of the calls that the compiler inserts at the begin and the end of a function. Called in
 * any thread, also in signal handlers. */
void fm_function_enter(void *function, void *call_site);
void fm_function_leave(void *function, void *call_site);

/** Brings the records up to date before an event at the time `now`; the change of the call stack is
 * recorded already. Does nothing while recording is paused. errno is preserved. */
FM_API FM_COLD void fm_functions_tell(struct fm_thread *thread, uint64_t now);

/** The same, before the record of merged visits of a function that is about to begin inside them.
 */
void fm_functions_tell_around(struct fm_thread *thread, uint64_t now);

/** Records the begin of the outermost open function that has none, at `time`: of a merged visit
 * that is told (brief/merged_visits.h).
 * @param apart  it is not in the recorded call stack */
void fm_functions_tell_next(struct fm_thread *thread, uint64_t time, bool apart);

/** Ends all functions of a thread that ends. */
FM_COLD void fm_functions_end(struct fm_thread *thread);

/** Number of visits in all threads that were too short to be recorded. */
uint64_t fm_functions_dropped(void);

#endif
