/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The clock of this process during the session: its offset to rank 0's clock at the begin and the
 * end of the run, and its quality in between.
 */
#ifndef FERMATA_RECORD_SESSION_SESSION_CLOCK_H
#define FERMATA_RECORD_SESSION_SESSION_CLOCK_H

#include "record/closing/clock_check.h"
#include "record/closing/closing.h"

/** Adds a reading of the clock to those from which its rate is determined; called now and then. The
 * caller holds the session's lock, or no other thread records yet. */
void fm_session_clock_note(void);

/** Measures the offset at the begin and at the end of the run; the latter also checks the clock.
 * Collective. With FERMATA_CLOCK_EXCHANGE=always also between processes that share a clock. */
void fm_session_clock_open(const struct fm_exchange *exchange);
void fm_session_clock_close(const struct fm_exchange *exchange);

/** The offsets at the begin and at the end of the run; the second is zero before the end. */
const struct fm_clock_offset *fm_session_clock_offsets(void);

/** The result of the check at the end of the run. */
struct fm_clock_quality fm_session_clock_quality(void);

/** Converts a time of this process to rank 0's clock; valid at the end of the run. */
uint64_t fm_session_clock_global(uint64_t time);

/** The present time in rank 0's clock, with its error bounds; valid at the end of the run. */
struct fm_closing_moment fm_session_clock_now(void);

#endif
