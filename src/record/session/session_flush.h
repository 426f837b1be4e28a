/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Flushes to the journal during the run: a thread writes its buffer when it is full, or when the
 * flush interval has passed.
 */
#ifndef FERMATA_RECORD_SESSION_SESSION_FLUSH_H
#define FERMATA_RECORD_SESSION_SESSION_FLUSH_H

#include "record/capture/thread.h"

/** Writes a thread's records to the journal (fm_threads_begin). Before, begins the run of this
 * process alone if no run has begun (fm_session_open_alone). With the flight recorder, only makes
 * up for a requested save that was not possible. Called by the thread itself. If a full buffer
 * cannot be written, recording ends with a message.
 * @return false: the records stay in memory */
bool fm_session_flush(struct fm_thread *thread, bool full);

/** Ticks between flushes: FERMATA_FLUSH_INTERVAL, a number of seconds (default 2) or "never", or
 * the period of snapshots if that is shorter.
 * @param resolution  ticks per second
 * @return UINT64_MAX: never */
uint64_t fm_session_flush_interval(uint64_t resolution);

/** Appends what records refer to and is new: definitions, call sites, which iterations are kept.
 * The caller holds the session's lock. May be called in a signal handler.
 * @return false: not all were written, errno is the reason */
bool fm_session_journal_all_but_records(void);

/** Notes a change of the table of kept iterations, if that costs little (fm_journal_takes_notes).
 * Takes no lock that it waits for. */
void fm_session_note_thinning(void);

/** fm_session_journal_all_but_records with the lock, which it takes.
 * @return false: they could not be written, errno is the reason */
bool fm_session_journal_definitions(void);

#endif
