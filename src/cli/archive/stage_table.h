/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The table of `fermata analyze --verbose`: what each stage of the analysis took, in the form of
 * tables A.1 to A.4 of Hermanns 2017, transposed: a row for each stage.
 */
#ifndef FERMATA_CLI_ARCHIVE_STAGE_TABLE_H
#define FERMATA_CLI_ARCHIVE_STAGE_TABLE_H

#include "engine/stage_times.h"

#include <stdio.h>

/** Prints the table of stages that have ended. */
void fm_stage_table_print(const struct fm_stage_times *times, FILE *stream);

#endif
