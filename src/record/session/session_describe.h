/** @file
 * The description of the experiment: what is known of it at the begin and at the end of the run.
 */
#ifndef FERMATA_RECORD_SESSION_SESSION_DESCRIBE_H
#define FERMATA_RECORD_SESSION_SESSION_DESCRIBE_H

#include "record/closing/closing.h"

/** What is known now. Texts in it are valid until the next call, or as long as the session. By one
 * thread at a time, like all of these. */
struct fm_environment fm_session_environment(void);

/** Describes the experiment that has just been made; by rank 0. */
void fm_session_describe_begin(void);

/** Describes the experiment again, with the version of a library that has begun meanwhile; by rank
 * 0, while the run is open. */
void fm_session_describe_library(void);

/** The facts of this process about its run, except the size of the archive. At the end of the
 * run, when all records are converted.
 * @param events  number of its events */
struct fm_closing fm_session_closing(struct fm_thread *threads, uint64_t events,
                                     const struct fm_overhead_rates *rates);

/** Describes the run, when its archive is complete, by the combined facts of all processes; by
 * rank 0. */
void fm_session_describe_end(const struct fm_closing *closing,
                             const struct fm_overhead_rates *rates);

#endif
