/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Calls of a process by call path, as recordings with counters only write them when the program
 * ends regularly: EXPERIMENT/counters/calls.N. A text file; rows of fields that tabs separate:
 *
 *     fermata-calls 4
 *     thread  NUMBER  SECONDS          from its first call or instrumented function to its last
 *     call    NUMBER  CALLS  SECONDS  BYTES_SENT  BYTES_RECEIVED  FUNCTION  FRAME...
 *     stretch NUMBER  STRETCHES  SECONDS  STOLEN  DELAY_MEASURED  DELAY  SYSTEM
 *                     FAULTS  FAULTS_DISK  PREEMPTIONS  SWITCHES  FRAME...
 *     function NUMBER VISITS  SECONDS  LEADS_TO_CALLS  NAME  FILE
 *     begun   NUMBER  TIMES  FRAME...
 *     end
 *
 * NUMBER is that of the thread in its process. Frames are the functions of the call path, the
 * outermost one first: NAME, or NAME (FILE:LINE) with the line at which it makes its call. Rows
 * `stretch` have what the kernel has counted in long stretches of computation before calls from a
 * path (times in seconds). Rows `function` have the visits of instrumented functions, their own
 * time, and whether any of them led to calls (1) or not (0); FILE may be empty. Rows `begun` have
 * how often functions of the call stack began, an estimate (record/counting/profile/profile.h).
 * Rows of a thread follow its row `thread`, and threads are in ascending order. Equal rows may
 * repeat. The last row is `end`: a file without it is cut. A reader refuses other versions.
 */
#ifndef FERMATA_COUNTERS_CALL_PROFILE_H
#define FERMATA_COUNTERS_CALL_PROFILE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/** The first row. */
#define FM_CALL_PROFILE_HEAD "fermata-calls 4"

enum fm_call_row_kind { FM_ROW_THREAD, FM_ROW_CALL, FM_ROW_STRETCH, FM_ROW_FUNCTION, FM_ROW_BEGUN };

/** Numbers of rows `call`. */
enum { FM_CALL_NUMBER, FM_CALL_SECONDS, FM_CALL_SENT, FM_CALL_RECEIVED, FM_CALL_NUMBERS };

/** Numbers of rows `stretch`. */
enum {
    FM_STRETCH_NUMBER,
    FM_STRETCH_SECONDS,
    FM_STRETCH_STOLEN,
    FM_STRETCH_DELAY_MEASURED,
    FM_STRETCH_DELAY,
    FM_STRETCH_SYSTEM,
    FM_STRETCH_FAULTS,
    FM_STRETCH_FAULTS_DISK,
    FM_STRETCH_PREEMPTIONS,
    FM_STRETCH_SWITCHES,
    FM_STRETCH_NUMBERS
};

/** Numbers of rows `function`. */
enum { FM_FUNCTION_VISITS, FM_FUNCTION_SECONDS, FM_FUNCTION_LEADS, FM_FUNCTION_NUMBERS };

/** A row. */
struct fm_call_row {
    enum fm_call_row_kind kind;
    unsigned thread;
    double numbers[FM_STRETCH_NUMBERS]; /**< of `thread`: [0] seconds; of `begun`: [0] times */
    const char *function;               /**< of `call` and `function`; else NULL */
    const char *file;                   /**< of `function`, may be empty; else NULL */
    char *const *frames;                /**< outermost first */
    size_t frame_count;
};

/** A frame, taken apart. */
struct fm_call_frame {
    char *name, *file; /**< file NULL: not known */
    uint32_t line;
};

/** @param text  of a frame; it is changed, and the result points into it */
struct fm_call_frame fm_call_frame_take_apart(char *text);

/** Receives a row, valid during the call. @return other than FM_OK: reading ends with it */
typedef fm_status_t fm_call_row_take(void *context, const struct fm_call_row *row,
                                     struct fm_error *error);

/** Reads a file.
 * @return FM_OK; FM_ERR_SYSTEM: it cannot be opened (errno); FM_ERR_DATA: it is damaged, cut,
 * or of another version */
fm_status_t fm_call_profile_read(const char *path, fm_call_row_take *take, void *context,
                                 struct fm_error *error);

#endif
