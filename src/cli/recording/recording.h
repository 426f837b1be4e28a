/** @file
 * What the commands that start a program have in common: `record` and `run`.
 */
#ifndef FERMATA_CLI_RECORDING_RECORDING_H
#define FERMATA_CLI_RECORDING_RECORDING_H

#include "record/launch.h"

/** Parses "[options] [--] command [arguments]" and runs the command with the recorder, or becomes
 * it if this process is one of an MPI program's ranks. Errors and the closing line are printed.
 * @param usage     first lines of the help
 * @param recorded  out: whether the program ran and `result` is set
 * @return exit status: the program's, if it ran */
int fm_recording_run(int argc, char **argv, const char *usage, struct fm_record_result *result,
                     bool *recorded);

#endif
