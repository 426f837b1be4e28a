/** @file
 * The flight recorder: only the last records are kept, in memory, and written only on one of
 * these triggers: the program ends without MPI_Finalize (it crashes, is killed, calls MPI_Abort or
 * exit), a signal arrives, the program requests it, or the option demands it.
 *
 * The oldest records of a thread make room for new ones (thread.h); their summary (cut.h) is
 * written in front of the kept ones. Records are written to the journal, possibly in several parts;
 * between two parts, the trace shows a pause. All threads of a process are cut
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

/** Installs handlers at the begin of the run: a fatal signal saves the kept records, and then has
 * its previous effect. Collective.
 * @param directory  the experiment's, which stays valid */
void fm_flight_watch(const struct fm_exchange *exchange, const char *directory);

/** Restores the previous signal handlers at the end of the run. */
void fm_flight_unwatch(void);

/** Called when this process ends, because the launcher may then kill the other processes: makes the
 * processes on the same host save their records, and waits for them for a limited time. Once; may
 * be called in a signal handler. */
FM_API void fm_flight_alarm(void);

#endif
