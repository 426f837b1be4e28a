/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The description of the experiment (environment.json), written at the begin and at the end of the
 * run. Called by one thread at a time.
 */
#ifndef FERMATA_RECORD_SESSION_SESSION_DESCRIBE_H
#define FERMATA_RECORD_SESSION_SESSION_DESCRIBE_H

#include "record/buffers/buffer_place.h"
#include "record/closing/closing.h"

/** The facts that are known now. Texts in the result are valid at least until the next call. */
struct fm_environment fm_session_environment(void);

/** Notes that a region was defined for marks of a kind (enum fm_mark_kind), which the facts list.
 * Thread-safe. */
void fm_session_note_marks(uint32_t kind);

/** Describes the new experiment; called by rank 0. */
void fm_session_describe_begin(void);

/** Notes in the log where the buffer file of rank 0 lies, or why it has none; a folder of the
 * user's that cannot be used is reported. */
void fm_session_describe_buffers(bool is_made, const struct fm_buffer_place *place);

/** Describes the experiment again, with the version of a library that was initialized after the
 * begin of the run; called by rank 0, while the run is open. */
void fm_session_describe_library(void);

/** The facts of this process about its run, except the size of the archive. Called at the end of
 * the run, after all records are converted.
 * @param events  number of its events */
struct fm_closing fm_session_closing(struct fm_thread *threads, uint64_t events);

/** Describes the run by the combined facts of all processes; called by rank 0, after the archive is
 * complete. */
void fm_session_describe_end(const struct fm_closing *closing);

/** Describes a run without a trace at its end, likewise, after the counters are complete. */
void fm_session_describe_counters(const struct fm_closing *closing);

#endif
