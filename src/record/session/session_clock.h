/** @file
 * The clock of this process during the session: its offset to rank 0's at the begin and the end of
 * the run, and what is found out about it on the way.
 */
#ifndef FERMATA_RECORD_SESSION_SESSION_CLOCK_H
#define FERMATA_RECORD_SESSION_SESSION_CLOCK_H

#include "record/closing/clock_check.h"
#include "record/closing/closing.h"

/** Takes note of the present moment, once in a while. The caller holds the session's lock, or no
 * other thread records yet. */
void fm_session_clock_note(void);

/** Measures the offset at the begin, and at the end of the run; then the clock is checked, too.
 * Collective. FERMATA_CLOCK_EXCHANGE=always: also where processes share a clock. */
void fm_session_clock_open(const struct fm_exchange *exchange);
void fm_session_clock_close(const struct fm_exchange *exchange);

/** Both offsets; until the end of the run the second is zero. */
const struct fm_clock_offset *fm_session_clock_offsets(void);

/** What was found out about this process at the end of the run. */
struct fm_clock_quality fm_session_clock_quality(void);

/** A time of this process in rank 0's clock; at the end of the run. */
uint64_t fm_session_clock_global(uint64_t time);

/** The present moment in rank 0's clock; at the end of the run. */
struct fm_closing_moment fm_session_clock_now(void);

#endif
