/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Reads traces of PyTorch's profiler, one file a rank, and writes them as an experiment: an OTF2
 * archive, and environment.json with what they do not state, or what was mended in them
 * ("warnings"), which the report of the analysis repeats.
 */
#ifndef FERMATA_IMPORT_KINETO_KINETO_IMPORT_H
#define FERMATA_IMPORT_KINETO_KINETO_IMPORT_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/** @return whether a path is such a trace, or a directory with some and without an archive. */
bool fm_kineto_is_one(const char *path);

/** Writes the experiment of a file or directory of traces. An experiment that an earlier import
 * has written is replaced.
 * @param experiment  the directory
 * @param ranks       out: their number
 * @return FM_ERR_DATA: a trace is damaged; FM_ERR_USAGE: the directory holds something else */
fm_status_t fm_kineto_import(const char *path, const char *experiment, uint32_t *ranks,
                             struct fm_error *error);

#endif
