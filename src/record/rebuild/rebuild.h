/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Completes experiments: rebuilds the archive of a run that did not reach its end from the journals
 * of the processes, and joins the archives of processes that were started as several worlds.
 */
#ifndef FERMATA_RECORD_REBUILD_REBUILD_H
#define FERMATA_RECORD_REBUILD_REBUILD_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/** The rebuilt archive. */
struct fm_rebuilt {
    uint32_t processes;
    uint64_t locations;
    uint64_t events;
    uint64_t bytes;     /**< of the archive */
    char missing[1024]; /**< a sentence: of which ranks events are missing, from when */
    char unknown[1024]; /**< sentences: which connected processes were not found; "": none */
    uint32_t
        long_calls; /**< threads in calls that had lasted for a second when the processes ended */
    bool by_other;  /**< another process has rebuilt it first; the members above are not set */
};

/** Whether the experiment directory has journals but no archive (traces.otf2), or archives of
 * several worlds (record/worlds/join.h). */
bool fm_rebuild_is_due(const char *directory);

/** Whether it has journals but no archive. */
bool fm_rebuild_archive_is_due(const char *directory);

/** Rebuilds what fm_rebuild_archive_is_due states. The caller holds the lock of the experiment.
 * @param is_world  it is one of several worlds of an experiment
 * @return as fm_rebuild */
fm_status_t fm_rebuild_archive(const char *directory, bool is_world, uint64_t job_end,
                               struct fm_rebuilt *result, struct fm_error *error);

/** Writes the archive from the journals, states in environment.json which data is missing, and
 * removes the journals; then joins the worlds. The archive appears as a whole or not at all: a
 * failure leaves the journals in place. Waits for other processes that rebuild the same experiment.
 * @param job_end  CLOCK_MONOTONIC_RAW of this host when the program ended; 0: not known
 * @return FM_OK; FM_ERR_DATA: no usable journal; FM_ERR_USAGE: the program still runs;
 *         FM_ERR_SYSTEM: no space, no permission to write. Not thread-safe. */
fm_status_t fm_rebuild(const char *directory, uint64_t job_end, struct fm_rebuilt *result,
                       struct fm_error *error);

#endif
