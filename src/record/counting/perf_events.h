/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Events of the kernel's interface perf_event_open (counters/definitions/perf.def) as counters of
 * the process. Each event is opened for all threads that exist when the run begins, and inherited
 * by the threads that these create: values are those of the whole process since then. Hardware
 * events are pinned: they are counted all the time, so that no value is an extrapolation, or they
 * are unavailable.
 */
#ifndef FERMATA_RECORD_COUNTING_PERF_EVENTS_H
#define FERMATA_RECORD_COUNTING_PERF_EVENTS_H

/** Opens the events that the list names and adds their counters, those that cannot be had with the
 * reason. Called once, when the file of counters is open. errno is not preserved.
 * @param list  counters that are asked for; "all" does not name events */
void fm_perf_events_begin(const char *list);

#endif
