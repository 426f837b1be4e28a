/** @file
 * The end of a run with the flight recorder (flight.h).
 */
#ifndef FERMATA_RECORD_FLIGHT_SESSION_FLIGHT_H
#define FERMATA_RECORD_FLIGHT_SESSION_FLIGHT_H

#include "record/capture/thread.h"

/** Whether the run is to be written: always without the flight recorder, else if any process was
 * asked to. Collective. */
bool fm_session_flight_is_wanted(void);

/** Removes the experiment, because no process requested its records. Collective. */
void fm_session_flight_discard(struct fm_thread *threads);

/** Everything that the flight recorder has becomes part of the trace, or nothing of it: it goes to
 * the journal.
 * @param thread   the one that ends the run; may be NULL
 * @param threads  all of them
 * @return false: it cannot be written, errno states why */
bool fm_session_flight_write(struct fm_thread *thread, struct fm_thread *threads);

#endif
