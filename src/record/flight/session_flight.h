/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The end of a run with the flight recorder (flight.h).
 */
#ifndef FERMATA_RECORD_FLIGHT_SESSION_FLIGHT_H
#define FERMATA_RECORD_FLIGHT_SESSION_FLIGHT_H

#include "record/capture/thread.h"

/** Whether the run is to be written: always without the flight recorder, else if any process has
 * received a request. Collective. */
bool fm_session_flight_is_wanted(void);

/** Removes the experiment, because no process requested its records. Collective. */
void fm_session_flight_discard(struct fm_thread *threads);

/** Writes all records of the flight recorder to the journal, so that either all of them or none
 * become part of the trace.
 * @param thread   the thread that ends the run; may be NULL
 * @param threads  all threads
 * @return false: not written, errno is the reason */
bool fm_session_flight_write(struct fm_thread *thread, struct fm_thread *threads);

#endif
