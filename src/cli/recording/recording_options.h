/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The options of the commands that record, `record` and `run`: one for each setting
 * (record/settings/settings.def), and a few for the command itself.
 */
#ifndef FERMATA_CLI_RECORDING_RECORDING_OPTIONS_H
#define FERMATA_CLI_RECORDING_RECORDING_OPTIONS_H

#include "cli/options/options.h"
#include "cli/recording/recording.h"
#include "patterns/selection.h"
#include "record/settings/settings.h"

#include <stdbool.h>

/** What the command line asks for. What is owned is to be freed whatever was returned. */
struct fm_recording_options {
    struct fm_settings settings;      /**< to be freed with fm_settings_free() */
    char **command;                   /**< what is to be recorded, within argv, ends with NULL */
    fm_analysis_words analysis;       /**< options of the analysis: --only and the like */
    FM_VECTOR(const char *) patterns; /**< files of --pattern */
    struct fm_pattern_selection selection; /**< of --only and --without */
    bool dry_run;                          /**< only print what would be done */
    bool help;                             /**< only print the options; `command` is not set */
};

/** Reads the options of "[options] [--] command [arguments]", then the environment and
 * configuration files.
 * @param command  FM_COMMAND_record or FM_COMMAND_run
 * @return FM_ERR_USAGE: options, or a value that any of them has, make no sense. FM_ERR_SYSTEM: a
 * configuration file cannot be read */
fm_status_t fm_recording_options_read(enum fm_command command, int argc, char **argv,
                                      struct fm_recording_options *options, struct fm_error *error);

#endif
