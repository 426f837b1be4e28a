/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Text files that the recorder writes for each process at the end of a run: a head that names kind
 * and version, then rows of fields that tabs separate, and a last row that tells that it is
 * complete. Not thread-safe for one file.
 */
#ifndef FERMATA_COUNTERS_ROW_FILE_H
#define FERMATA_COUNTERS_ROW_FILE_H

#include "base/containers/vector.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** The last row. */
#define FM_ROW_FILE_END "end"

/** A file that is read. */
struct fm_row_file {
    FM_VECTOR(char *) fields; /**< of the present row; valid up to the next one, may be changed */
    const char *path, *noun;  /**< what rows are about, for messages: "calls" */
    FILE *file;
    char *line;
    size_t room, number; /**< bytes of `line`; number of the row, with the head */
};

/** Opens a file and reads its head.
 * @param rows  out: to be closed with fm_row_file_close(), also after a failure
 * @param path  and `noun`, `head`: borrowed up to the end
 * @return FM_OK; FM_ERR_SYSTEM: it cannot be opened (errno); FM_ERR_DATA: it is empty, or of
 * another kind or version */
fm_status_t fm_row_file_open(struct fm_row_file *rows, const char *path, const char *head,
                             const char *noun, struct fm_error *error);

/** Reads the next row into `fields`.
 * @param status  in: FM_OK, else there is no next one; out: FM_ERR_DATA if the file ends without
 *                its last row, or goes on behind it
 * @return whether there is one; the last row is none */
bool fm_row_file_next(struct fm_row_file *rows, fm_status_t *status, struct fm_error *error);

/** Describes the present row as damaged. @return FM_ERR_DATA */
fm_status_t fm_row_file_refuse(const struct fm_row_file *rows, struct fm_error *error);

/** Keeps errno. */
void fm_row_file_close(struct fm_row_file *rows);

#endif
