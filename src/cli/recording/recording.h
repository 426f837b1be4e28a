/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What the commands that start a program have in common: `record` and `run`.
 */
#ifndef FERMATA_CLI_RECORDING_RECORDING_H
#define FERMATA_CLI_RECORDING_RECORDING_H

#include "base/containers/vector.h"
#include "cli/options/options.h"
#include "record/launch.h"

/** Options of `run` that are those of `fermata analyze`, as words of its command line. */
typedef FM_VECTOR(const char *) fm_analysis_words;

/** Parses "[options] [--] command [arguments]" and runs the command with the recorder, or becomes
 * it if this process is one of an MPI program's ranks. Errors and the closing line are printed.
 * @param command   FM_COMMAND_record or FM_COMMAND_run
 * @param recorded  out: whether the program ran and `result` is set
 * @param analysis  out: options of the analysis, which were checked; to be freed
 * @return exit status: the program's, if it ran */
int fm_recording_run(enum fm_command command, int argc, char **argv,
                     struct fm_record_result *result, bool *recorded, fm_analysis_words *analysis);

#endif
