/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Events of PAPI as counters of the process, if the machine has PAPI's library: it is loaded when
 * the list names one of its events ("papi:PAPI_TOT_INS"), and nothing of fermata is linked to it.
 *
 * Events of the processor are counted in the thread that begins the run, and in the threads that it
 * creates afterwards (PAPI_INHERIT); those of other components (networks, file systems, energy) as
 * the component counts them.
 */
#ifndef FERMATA_RECORD_COUNTING_PAPI_PAPI_EVENTS_H
#define FERMATA_RECORD_COUNTING_PAPI_PAPI_EVENTS_H

/** Adds the events that the list names, those that cannot be had with the reason, and begins to
 * count them. Called once, when the file of counters is open, by the thread that begins the run.
 * errno is not preserved. */
void fm_papi_events_begin(const char *list);

#endif
