/** @file
 * The flight recorder: only the last records are kept, in memory, and written only if something
 * asks for them: the program ends without MPI_Finalize (it crashes, is killed, calls MPI_Abort or
 * exit), a signal comes, the program itself asks, or the option says so.
 *
 * The oldest records of a thread make room for new ones (thread.h); what they leave behind (cut.h)
 * is written in front of the kept ones. What is written goes to the journal, so that there may be
 * several parts; between them recording seems to have been paused. All threads of a process are cut
 * at the same time, so that the parts are those of the process.
 */
#ifndef FERMATA_RECORD_FLIGHT_FLIGHT_H
#define FERMATA_RECORD_FLIGHT_FLIGHT_H

#include "record/archive/exchange.h"
#include "record/capture/thread.h"

/** Time from which on all that was recorded by the threads is kept; 0: nothing is lost. They have
 * been settled, those that could be claimed. */
uint64_t fm_flight_begin_of_kept(struct fm_thread *threads);

/** Appends a settled thread's records from a time on to its journal, and what stands in front.
 * @param begin   0: all of them; UINT64_MAX: none
 * @param resume  when recording seems to go on; UINT64_MAX: it does not
 * @return false: they could not be written, errno states why */
bool fm_flight_write(struct fm_thread *thread, uint64_t begin, uint64_t resume);

/** The run begins: from now on fatal signals save what there is, and then do what they would have
 * done. Collective.
 * @param directory  the experiment's, which stays valid */
void fm_flight_watch(const struct fm_exchange *exchange, const char *directory);

/** The run is over: signals do what they did. */
void fm_flight_unwatch(void);

/** This process ends, and others may be killed for that: lets those on the same host save what they
 * have, and waits for them, but not for long. Once; may be called in a signal handler. */
FM_API void fm_flight_alarm(void);

#endif
