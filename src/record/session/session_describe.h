/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The description of the experiment (environment.json), written at the begin and at the end of the
 * run. Called by one thread at a time.
 */
#ifndef FERMATA_RECORD_SESSION_SESSION_DESCRIBE_H
#define FERMATA_RECORD_SESSION_SESSION_DESCRIBE_H

#include "record/closing/closing.h"

/** The facts that are known now. Texts in the result are valid at least until the next call. */
struct fm_environment fm_session_environment(void);

/** Describes the new experiment; called by rank 0. */
void fm_session_describe_begin(void);

/** Describes the experiment again, with the version of a library that was initialized after the
 * begin of the run; called by rank 0, while the run is open. */
void fm_session_describe_library(void);

/** The facts of this process about its run, except the size of the archive. Called at the end of
 * the run, after all records are converted.
 * @param events  number of its events */
struct fm_closing fm_session_closing(struct fm_thread *threads, uint64_t events,
                                     const struct fm_overhead_rates *rates);

/** Describes the run by the combined facts of all processes; called by rank 0, after the archive is
 * complete. */
void fm_session_describe_end(const struct fm_closing *closing,
                             const struct fm_overhead_rates *rates);

/** Describes a run without a trace at its end, likewise, after the counters are complete. */
void fm_session_describe_counters(const struct fm_closing *closing,
                                  const struct fm_overhead_rates *rates);

#endif
