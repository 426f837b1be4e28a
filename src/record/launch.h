/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Starting a program with the recorder preloaded.
 */
#ifndef FERMATA_RECORD_LAUNCH_H
#define FERMATA_RECORD_LAUNCH_H

#include "base/error.h"
#include "record/experiment/experiment.h"
#include "record/settings/settings.h"

#include <stdbool.h>
#include <stdint.h>

/** What came of it. */
struct fm_record_result {
    int exit_status;      /**< the program's; 128 + signal if it was killed */
    char directory[4096]; /**< absolute path of the experiment; empty: nothing was recorded */
    char reason[1024]; /**< why a program was not recorded, a sentence; empty: not known, or there
                          is an experiment */
    bool discarded; /**< nothing asked the flight recorder for what it had: `directory` is empty */
    struct fm_experiment_totals totals; /**< events 0 if the archive could not be completed */
    char missing[1024];  /**< what an incomplete experiment lacks, a sentence; empty: nothing */
    char unknown[1024];  /**< which connected processes were not found, sentences; empty: none */
    uint32_t long_calls; /**< threads in calls that had lasted for a second when their processes
                              ended early */
};

/** Runs a command with the recorder and waits for it; if it does not reach its MPI_Finalize, the
 * archive is completed from what the processes left behind. Signals to this process that ask to end
 * are passed on. Under mpirun (as one of several processes) only the settings' environment is used
 * as for any rank: use fm_record_exec there.
 * @param command  argument vector, ends with NULL
 * @return FM_OK if the command could be started, whatever it returned then */
fm_status_t fm_record_run(const struct fm_settings *settings, char *const command[],
                          struct fm_record_result *result, struct fm_error *error);

/** Replaces this process by the command with the recorder; returns only on failure. */
fm_status_t fm_record_exec(const struct fm_settings *settings, char *const command[],
                           struct fm_error *error);

/** Changes this process's environment to that of the recorded program: what fm_record_exec does
 * before it starts the command. FM_ERR_USAGE if the directory exists already. */
fm_status_t fm_record_prepare(const struct fm_settings *settings, struct fm_error *error);

#endif
