/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Completes recordings without a trace: makes the files of calls and traffic of processes that did
 * not reach their end (EXPERIMENT/counters/calls.N, links.N) from the tables of their threads and
 * their journals, which are in EXPERIMENT/counters while they run.
 */
#ifndef FERMATA_RECORD_REBUILD_REBUILT_COUNTERS_H
#define FERMATA_RECORD_REBUILD_REBUILT_COUNTERS_H

#include "base/error.h"

#include <stdbool.h>

/** Whether an experiment has journals of counters.
 * @param directory  of the experiment */
bool fm_rebuild_counters_is_due(const char *directory);

/** Makes the files, and removes the journals and tables. A process without a usable journal has
 * none, as one that had no room for it. Waits for other processes that complete the same
 * experiment.
 * @return FM_OK; FM_ERR_DATA: no usable journal; FM_ERR_USAGE: the program still runs;
 *         FM_ERR_SYSTEM: no memory, no permission to write. Not thread-safe. */
fm_status_t fm_rebuild_counters(const char *directory, struct fm_error *error);

#endif
