/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What `record` and `run` would do.
 */
#ifndef FERMATA_CLI_RECORDING_DRY_RUN_H
#define FERMATA_CLI_RECORDING_DRY_RUN_H

#include "record/launch.h"

/** Prints on stdout all settings and who has set them, the environment that the command would get
 * from fermata (and the variables for fermata that it has already), where the experiment would go,
 * and the command; starts and creates nothing. Changes the environment of this process.
 * @return FM_ERR_USAGE if a recording would not start for the same settings */
fm_status_t fm_dry_run(const struct fm_settings *settings, char *const command[],
                       struct fm_error *error);

#endif
