/** @file
 * The journal during the run: threads whose buffers are full, or old enough, empty them into it.
 */
#ifndef FERMATA_RECORD_SESSION_SESSION_FLUSH_H
#define FERMATA_RECORD_SESSION_SESSION_FLUSH_H

#include "record/capture/thread.h"

/** Writes a thread's records to the journal (fm_threads_begin), or, for the flight recorder, saves
 * what it could not give when it was asked. By the thread itself. If a full buffer cannot be
 * written recording ends with a message. */
bool fm_session_flush(struct fm_thread *thread, bool full);

/** Ticks between flushes: FERMATA_FLUSH_INTERVAL, a number of seconds or "never".
 * @param resolution  ticks per second
 * @return UINT64_MAX: never */
uint64_t fm_session_flush_interval(uint64_t resolution);

/** Writes the definitions and call sites that the journal lacks to it. Takes the session's lock.
 * @return false: they could not be written, errno is the reason */
bool fm_session_journal_definitions(void);

#endif
