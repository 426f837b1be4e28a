/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A recording without a trace: the journal of its definitions, in EXPERIMENT/counters, and its end.
 */
#ifndef FERMATA_RECORD_COUNTING_CLOSING_SESSION_COUNTERS_H
#define FERMATA_RECORD_COUNTING_CLOSING_SESSION_COUNTERS_H

#include "record/session/session.h"

struct fm_journal_process;

/** Makes the folders. Called by one process, before the others. */
void fm_session_counters_create(void);

/** Begins the journal of this process: from it and the kept tables of its threads its calls are
 * known if it does not reach its end. Without room there is none.
 * @param process  what it begins with */
void fm_session_counters_begin(const struct fm_journal_process *process);

/** The end of the run: counters are complete when the last call is counted. Collective.
 * @param thread  that ends the run; NULL: none
 * @param last    notes the end of its last call */
void fm_session_close_counters(struct fm_thread *thread, fm_last_call_t *last);

#endif
