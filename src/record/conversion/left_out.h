/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Pauses of the recording in the archive: those of the run, and those in the place of records that
 * are left out (dropped.h). Private to src/record/conversion.
 */
#ifndef FERMATA_RECORD_CONVERSION_LEFT_OUT_H
#define FERMATA_RECORD_CONVERSION_LEFT_OUT_H

#include "record/conversion/convert_state.h"

/* ---- pauses ---- */

/** @return whether a number is that of a series of unrecorded calls (fm_series_t). */
static inline bool fm_convert_is_series(uint32_t number)
{
    return number >= FM_SERIES_SENDS && number <= FM_SERIES_EXPOSURE_EPOCHS;
}

/** Writes the number of calls of a series in a pause, from an UNRECORDED record. */
void fm_convert_unrecorded(struct fm_thread *thread, const uint64_t *record);

/** Begins a pause, unless one has begun. */
void fm_convert_begin_pause(struct fm_thread *thread, uint64_t time);

/** Ends a pause. Called in a pause.
 * @param regions  number of outer marked regions that are still open */
void fm_convert_end_pause(struct fm_thread *thread, uint32_t regions, uint64_t time);

/** @return whether a record is omitted because it lies in a pause and ends neither the pause nor
 * the program. */
static inline bool fm_convert_is_omitted(const struct fm_thread *thread, enum fm_record_kind kind)
{
    return thread->off && kind != FM_RECORD_RECORDING_OFF && kind != FM_RECORD_UNRECORDED &&
           kind != FM_RECORD_RECORDING_ON && kind != FM_RECORD_PROGRAM_END;
}

/* ---- records that are left out ---- */

/** @return whether an iteration is kept, from its ITERATION record. */
bool fm_left_out_is_kept(const uint64_t *record);

/** Begins to leave out records.
 * @param to_the_end  all further ones; else those of an iteration */
void fm_left_out_begin(struct fm_thread *thread, uint64_t time, bool to_the_end);

/** Ends leaving out records, if any are.
 * @param resumes  recording continues, unless it was paused by itself */
void fm_left_out_end(struct fm_thread *thread, uint64_t time, bool resumes);

/** Leaves out a record if it belongs to what is left out. Called while fm_thread.dropped is active.
 * @return false: it is to be converted */
bool fm_left_out_pass(struct fm_thread *thread, const uint64_t *record);

/** Leaves out all records from a record on, because the size limit is exceeded, unless the record
 * belongs to the call before it.
 * @param is_between  the record stands between calls (FM_BETWEEN_CALLS) */
void fm_left_out_at_limit(struct fm_thread *thread, const uint64_t *record, bool is_between);

#endif
