/* SPDX-License-Identifier: BSD-3-Clause */
#include "counters/traffic/job_traffic_rows.h"

#include "counters/row_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* @return false: not a number */
static bool parse_number(const char *text, uint64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
}

/* A number of a communicator or rank, or `-`. */
static bool parse_reference(const char *text, uint32_t *number)
{
    uint64_t value;
    if (strcmp(text, "-") == 0) {
        *number = FM_JOB_TRAFFIC_NONE;
        return true;
    }
    bool good = parse_number(text, &value) && value < UINT32_C(1) << 31;
    *number = good ? (uint32_t)value : FM_JOB_TRAFFIC_NONE;
    return good;
}

static bool parse_communicator(char *const *fields, struct fm_job_traffic_row *row)
{
    row->maker = fields[7];
    row->name = fields[8];
    return parse_reference(fields[2], &row->size) &&
           parse_reference(fields[3], &row->remote_size) &&
           parse_reference(fields[4], &row->place) && parse_reference(fields[5], &row->first) &&
           parse_reference(fields[6], &row->parent) && row->communicator != FM_JOB_TRAFFIC_NONE &&
           row->size != FM_JOB_TRAFFIC_NONE && row->remote_size != FM_JOB_TRAFFIC_NONE &&
           row->place != FM_JOB_TRAFFIC_NONE;
}

static bool parse(char *const *fields, size_t count, struct fm_job_traffic_row *row)
{
    enum { TEXTS = 2 };
    size_t kind = 0, next = 2;
    while (kind < FM_JOB_TRAFFIC_ROW_KINDS &&
           strcmp(fields[0], fm_job_traffic_row_fields[kind].name) != 0) {
        kind++;
    }
    if (kind == FM_JOB_TRAFFIC_ROW_KINDS) {
        return false;
    }
    bool has_peer = fm_job_traffic_row_fields[kind].has_peer;
    bool is_communicator = kind == FM_JOB_TRAFFIC_ROW_COMMUNICATOR;
    size_t numbers = fm_job_traffic_row_fields[kind].numbers;
    *row = (struct fm_job_traffic_row){.kind = (enum fm_job_traffic_row_kind)kind,
                                       .peer = FM_JOB_TRAFFIC_NONE};
    if (count != 2 + has_peer + numbers + (is_communicator ? TEXTS : 0) ||
        !parse_reference(fields[1], &row->communicator)) {
        return false;
    }
    if (is_communicator) {
        return parse_communicator(fields, row);
    }
    if (has_peer && !parse_reference(fields[next++], &row->peer)) {
        return false;
    }
    for (size_t i = 0; i < numbers; i++) {
        if (!parse_number(fields[next + i], &row->numbers[i])) {
            return false;
        }
    }
    return true;
}

fm_status_t fm_job_traffic_rows_read(const char *path, fm_job_traffic_row_take *take, void *context,
                                     struct fm_error *error)
{
    struct fm_row_file rows;
    fm_status_t status = fm_row_file_open(&rows, path, FM_JOB_TRAFFIC_HEAD, "links", error);
    while (fm_row_file_next(&rows, &status, error)) {
        struct fm_job_traffic_row row;
        status = parse(rows.fields.items, rows.fields.count, &row)
                     ? take(context, &row, error)
                     : fm_row_file_refuse(&rows, error);
    }
    fm_row_file_close(&rows);
    return status;
}
