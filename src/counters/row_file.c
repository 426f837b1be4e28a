/* SPDX-License-Identifier: BSD-3-Clause */
#include "counters/row_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* @return whether there is a line; `is_whole`: it ends where a line ends, and has no zero byte */
static bool read_line(struct fm_row_file *rows, bool *is_whole)
{
    ssize_t length = getline(&rows->line, &rows->room, rows->file);
    if (length <= 0) {
        return false;
    }
    rows->number++;
    *is_whole = rows->line[length - 1] == '\n' && strlen(rows->line) == (size_t)length;
    rows->line[strcspn(rows->line, "\n")] = '\0';
    return true;
}

fm_status_t fm_row_file_open(struct fm_row_file *rows, const char *path, const char *head,
                             const char *noun, struct fm_error *error)
{
    bool is_whole = false;
    *rows = (struct fm_row_file){.path = path, .noun = noun, .file = fopen(path, "re")};
    if (rows->file == NULL) {
        int reason = errno;
        fm_status_t status = fm_fail(error, FM_ERR_SYSTEM, "cannot read %s: %m", path);
        errno = reason;
        return status;
    }
    if (!read_line(rows, &is_whole)) {
        return fm_fail(error, FM_ERR_DATA, "%s: empty", path);
    }
    return is_whole && strcmp(rows->line, head) == 0
               ? FM_OK
               : fm_fail(error, FM_ERR_DATA, "%s: not the %s of this version of fermata (%s)", path,
                         noun, head);
}

bool fm_row_file_next(struct fm_row_file *rows, fm_status_t *status, struct fm_error *error)
{
    bool is_whole;
    if (*status != FM_OK) {
        return false;
    }
    if (!read_line(rows, &is_whole)) {
        *status = fm_fail(error, FM_ERR_DATA, "%s: cut behind line %zu", rows->path, rows->number);
        return false;
    }
    if (is_whole && strcmp(rows->line, FM_ROW_FILE_END) == 0) {
        if (!read_line(rows, &is_whole)) {
            return false;
        }
        is_whole = false; /* nothing belongs behind the end */
    }
    if (!is_whole) {
        *status = fm_row_file_refuse(rows, error);
        return false;
    }
    rows->fields.count = 0;
    for (char *next = rows->line; next != NULL;) {
        fm_vector_push(&rows->fields, next);
        next = strchr(next, '\t');
        if (next != NULL) {
            *next++ = '\0';
        }
    }
    return true;
}

fm_status_t fm_row_file_refuse(const struct fm_row_file *rows, struct fm_error *error)
{
    return fm_fail(error, FM_ERR_DATA, "%s:%zu: not a row of %s", rows->path, rows->number,
                   rows->noun);
}

void fm_row_file_close(struct fm_row_file *rows)
{
    int reason = errno;
    if (rows->file != NULL) {
        fclose(rows->file);
    }
    free(rows->line);
    fm_vector_free(&rows->fields);
    errno = reason;
}
