/** @file
 * What the commands that start a program have in common: `record` and `run`.
 */
#ifndef FERMATA_CLI_RECORDING_RECORDING_H
#define FERMATA_CLI_RECORDING_RECORDING_H

#include "base/containers/vector.h"
#include "cli/options/options.h"
#include "record/launch.h"

/** Files of patterns of the user. */
typedef FM_VECTOR(const char *) fm_recording_patterns;

/** Parses "[options] [--] command [arguments]" and runs the command with the recorder, or becomes
 * it if this process is one of an MPI program's ranks. Errors and the closing line are printed.
 * @param command   FM_COMMAND_record or FM_COMMAND_run
 * @param recorded  out: whether the program ran and `result` is set
 * @param patterns  out: values of --pattern, which were checked, as the last elements
 * @return exit status: the program's, if it ran */
int fm_recording_run(enum fm_command command, int argc, char **argv,
                     struct fm_record_result *result, bool *recorded,
                     fm_recording_patterns *patterns);

#endif
