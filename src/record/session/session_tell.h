/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Messages of the session to the user on stderr. The program continues; each kind of message is
 * printed once in a process, but for fm_session_tell_each(). Thread-safe; without stdio, because
 * the program uses its locks.
 */
#ifndef FERMATA_RECORD_SESSION_SESSION_TELL_H
#define FERMATA_RECORD_SESSION_SESSION_TELL_H

#include "record/capture/hot.h"

/** Reports a failure of recording. */
void fm_session_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Reports that more functions than requested are recorded, but none is missing. A kind of its own,
 * so that it does not suppress a message of fm_session_tell. */
void fm_session_tell_of_functions(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Reports a fact of its own, as what is missing of the work of accelerators or of a run's
 * counters: each call prints. */
FM_API void fm_session_tell_each(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Reports that samples are missing. A kind of its own, so that it does not suppress a more
 * important message. */
void fm_session_tell_of_samples(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Reports a selection that cannot be applied (selected.h), on rank 0 only, because the message is
 * the same on all processes. Called by one thread at a time, like the next function. */
void fm_session_tell_selection(void);

/** Reports an invalid option of the flight recorder, on rank 0 only. */
void fm_session_tell_flight(void);

/** Reports a sampling rate that the user has asked for and that cannot be had, on rank 0 only. */
void fm_session_tell_sample_rate(void);

/** Reports an invalid size limit, on rank 0 only. */
void fm_session_tell_max_size(void);

#endif
