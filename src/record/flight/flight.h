/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The flight recorder: only the last records are kept, in memory, and written only on one of
 * these triggers: the program ends without MPI_Finalize (it crashes, is killed, calls MPI_Abort or
 * exit), a signal arrives, the program requests it, or the option demands it.
 *
 * New records replace the oldest records of a thread (thread.h); the summary of the replaced
 * records (cut.h) is written before the kept ones. Records are written to the journal, possibly in
 * several parts; between two parts, the trace contains a pause. In all threads of a process, a part
 * begins at the same time.
 */
#ifndef FERMATA_RECORD_FLIGHT_FLIGHT_H
#define FERMATA_RECORD_FLIGHT_FLIGHT_H

#include "record/archive/exchange.h"
#include "record/capture/thread.h"

/** Time from which all records of the threads are kept; 0: nothing is lost. The threads that could
 * be claimed have been settled; the others are ignored. */
uint64_t fm_flight_begin_of_kept(struct fm_thread *threads);

/** Appends a settled thread's records from a time on to its journal, after the records generated
 * from the summary of earlier ones.
 * @param begin   time; 0: all records; UINT64_MAX: none
 * @param resume  end of the pause in the trace; UINT64_MAX: it does not end
 * @return false: not written, errno is the reason */
bool fm_flight_write(struct fm_thread *thread, uint64_t begin, uint64_t resume);

/** Installs signal handlers at the begin of the run: a fatal signal saves the kept records, and
 * then has its previous effect. Collective.
 * @param directory  the experiment's, which stays valid */
void fm_flight_watch(const struct fm_exchange *exchange, const char *directory);

/** Restores the previous signal handlers at the end of the run. */
void fm_flight_unwatch(void);

/** Called when this process ends, because the launcher may then kill the other processes: makes the
 * processes on the same host save their records, and waits for them for a limited time. Once; may
 * be called in a signal handler. */
FM_API void fm_flight_alarm(void);

#endif
