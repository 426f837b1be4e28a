/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Traces of other profilers that become an experiment before they are analysed.
 */
#ifndef FERMATA_CLI_ARCHIVE_IMPORTED_TRACES_H
#define FERMATA_CLI_ARCHIVE_IMPORTED_TRACES_H

#include "base/error.h"

#include <stdbool.h>

/** Makes an experiment of what is to be analysed, if these are traces of another profiler, and
 * prints where it is.
 * @param path        what the user wants to be analysed
 * @param wanted      the directory of the experiment; NULL: beside the traces, DIR.fermata
 * @param quiet       print nothing
 * @param experiment  out: the directory, to be freed; NULL: it is no such trace
 * @return FM_ERR_USAGE: several processes analyse it, or the directory holds something else */
fm_status_t fm_imported_traces(const char *path, const char *wanted, bool quiet, char **experiment,
                               struct fm_error *error);

#endif
