/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Writes the files of rows that a process leaves at its end (counters/row_file.h). They have their
 * names only when they are complete: a process that is killed meanwhile leaves NAME.RANK.part, one
 * without room nothing. Not thread-safe for one file.
 */
#ifndef FERMATA_RECORD_COUNTING_CLOSING_ROW_OUTPUT_H
#define FERMATA_RECORD_COUNTING_CLOSING_ROW_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/** A file that is written. */
struct fm_row_output {
    FILE *file; /**< where rows are written, each with its end of line */
    char path[PATH_MAX + 64], unfinished[PATH_MAX + 80];
};

/** Begins EXPERIMENT/counters/NAME.RANK with its head.
 * @param output  out: to be ended with fm_row_output_end(), unless this fails
 * @return false: it cannot be written (errno) */
bool fm_row_output_begin(struct fm_row_output *output, const char *experiment, const char *name,
                         uint32_t rank, const char *head);

/** Ends the file with the row that tells readers that it is complete.
 * @return false: it could not be written (errno), and there is no file */
bool fm_row_output_end(struct fm_row_output *output);

#endif
