/** @file
 * Calls of a process by call path, as recordings with counters only write them when the program
 * ends regularly: EXPERIMENT/counters/calls.N. A text file; rows of fields that tabs separate:
 *
 *     fermata-calls 2
 *     thread  NUMBER  SECONDS                            from its first call to its last
 *     call    NUMBER  CALLS  SECONDS  BYTES_SENT  BYTES_RECEIVED  FUNCTION  FRAME...
 *     stretch NUMBER  STRETCHES  SECONDS  STOLEN  DELAY_MEASURED  DELAY  SYSTEM
 *                     FAULTS  FAULTS_DISK  PREEMPTIONS  SWITCHES  FRAME...
 *
 * NUMBER is that of the thread in its process. Frames are the functions of the call path, the
 * outermost one first: NAME, or NAME (FILE:LINE) with the line at which it makes its call. Rows
 * `stretch` have what the kernel has counted in long stretches of computation before calls from a
 * path (times in seconds), rows of a thread follow its row `thread`. Equal rows may repeat. A
 * reader refuses other versions.
 */
#ifndef FERMATA_COUNTERS_CALL_PROFILE_H
#define FERMATA_COUNTERS_CALL_PROFILE_H

#include "base/error.h"

#include <stddef.h>

/** The first row. */
#define FM_CALL_PROFILE_HEAD "fermata-calls 2"

enum fm_call_row_kind { FM_ROW_THREAD, FM_ROW_CALL, FM_ROW_STRETCH };

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

/** A row. */
struct fm_call_row {
    enum fm_call_row_kind kind;
    unsigned thread;
    double numbers[FM_STRETCH_NUMBERS]; /**< of `thread`: [0] seconds */
    const char *function;               /**< of `call`; else NULL */
    char *const *frames;                /**< outermost first */
    size_t frame_count;
};

/** Receives a row, valid during the call. @return other than FM_OK: reading ends with it */
typedef fm_status_t fm_call_row_take(void *context, const struct fm_call_row *row,
                                     struct fm_error *error);

/** Reads a file.
 * @return FM_OK; FM_ERR_SYSTEM: it cannot be opened (errno); FM_ERR_DATA: it is damaged, or of
 * another version */
fm_status_t fm_call_profile_read(const char *path, fm_call_row_take *take, void *context,
                                 struct fm_error *error);

#endif
