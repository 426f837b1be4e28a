/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Saving the records of all threads while they may still record. Waits for locks are limited,
 * because the holder of a lock may be the code that a signal handler has interrupted.
 * (fm_session_save and fm_session_demand are in session.h.)
 */
#ifndef FERMATA_RECORD_FLIGHT_SESSION_SAVE_H
#define FERMATA_RECORD_FLIGHT_SESSION_SAVE_H

#include <stdbool.h>

/** Waits for `attempt` to succeed, for at most half a second: the holder of the lock may be
 * the code that the calling signal handler has interrupted.
 * @return whether it succeeded; if not, errno is EBUSY */
bool fm_session_wait_briefly(bool (*attempt)(void *context), void *context);

/** fm_thread_claim as such an attempt.
 * @param thread  struct fm_thread * */
bool fm_session_claim(void *thread);

#endif
