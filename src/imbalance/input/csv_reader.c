/* SPDX-License-Identifier: BSD-3-Clause */
#include "imbalance/input/csv_reader.h"

#include <string.h>

fm_status_t fm_csv_begin(struct fm_csv *csv, char *text, size_t length, const char *name,
                         struct fm_error *error)
{
    *csv = (struct fm_csv){
        .name = name, .next = text, .end = text + length, .line = 1, .delimiter = ','};
    if (length >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0)) {
        return fm_fail(error, FM_ERR_DATA,
                       "%s:1: the text is in UTF-16: convert it to UTF-8, "
                       "for example with iconv",
                       name);
    }
    const char *zero = memchr(text, '\0', length);
    if (zero != NULL) {
        unsigned long line = 1;
        for (const char *c = text; c < zero; c++) {
            line += *c == '\n';
        }
        return fm_fail(error, FM_ERR_DATA, "%s:%lu: a zero byte: this is no text", name, line);
    }
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* byte order mark */
        csv->next += 3;
    }
    return FM_OK;
}

bool fm_csv_is_note(const struct fm_csv *csv)
{
    return csv->next[0] == '=' && csv->next[1] == '=';
}

char *fm_csv_line(struct fm_csv *csv)
{
    if (csv->next == csv->end) {
        return NULL;
    }
    char *line = csv->next;
    char *end = memchr(line, '\n', (size_t)(csv->end - line));
    csv->next = end == NULL ? csv->end : end + 1;
    csv->line += end != NULL;
    if (end == NULL) {
        end = csv->end;
    }
    if (end > line && end[-1] == '\r') {
        end--;
    }
    *end = '\0';
    return line;
}

size_t fm_csv_count(const struct fm_csv *csv, char delimiter)
{
    size_t count = 1;
    bool quoted = false;
    for (const char *c = csv->next; c < csv->end && *c != '\n'; c++) {
        quoted = quoted != (*c == '"');
        count += !quoted && *c == delimiter;
    }
    return count;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\r';
}

static void skip_blanks(struct fm_csv *csv)
{
    while (is_blank(*csv->next)) {
        csv->next++;
    }
}

/* Reads a quoted cell; `next` is at its opening quote. */
static fm_status_t read_quoted(struct fm_csv *csv, struct fm_error *error)
{
    const unsigned long opened = csv->line;
    char *out = ++csv->next;
    fm_vector_push(&csv->cells, out);
    for (;; csv->next++) {
        if (csv->next == csv->end) {
            return fm_fail(error, FM_ERR_DATA,
                           "%s:%lu: the quotes of cell %zu are not closed: the file is cut off or "
                           "damaged",
                           csv->name, opened, csv->cells.count);
        }
        if (*csv->next == '"') {
            if (csv->next[1] != '"') {
                break;
            }
            csv->next++;
        }
        csv->line += *csv->next == '\n';
        *out++ = *csv->next;
    }
    csv->next++; /* behind the closing quote; `out` is before it */
    *out = '\0';
    skip_blanks(csv);
    if (csv->next < csv->end && *csv->next != csv->delimiter && *csv->next != '\n') {
        return fm_fail(error, FM_ERR_DATA, "%s:%lu: text follows behind the quotes of cell %zu",
                       csv->name, csv->line, csv->cells.count);
    }
    return FM_OK;
}

/* Reads a cell without quotes. The caller ends it, once the delimiter behind it is looked at. */
static char *read_plain(struct fm_csv *csv)
{
    fm_vector_push(&csv->cells, csv->next);
    while (csv->next < csv->end && *csv->next != csv->delimiter && *csv->next != '\n') {
        csv->next++;
    }
    char *end = csv->next;
    while (end > csv->cells.items[csv->cells.count - 1] && is_blank(end[-1])) {
        end--;
    }
    return end;
}

fm_status_t fm_csv_next(struct fm_csv *csv, struct fm_csv_row *row, struct fm_error *error)
{
    csv->cells.count = 0;
    for (;; csv->next++) { /* empty lines */
        skip_blanks(csv);
        if (*csv->next != '\n') {
            break;
        }
        csv->line++;
    }
    *row = (struct fm_csv_row){.line = csv->line};
    bool more = csv->next < csv->end;
    while (more) {
        char *end = NULL;
        skip_blanks(csv);
        if (*csv->next == '"') {
            fm_status_t status = read_quoted(csv, error);
            if (status != FM_OK) {
                return status;
            }
        } else {
            end = read_plain(csv);
        }
        more = csv->next < csv->end && *csv->next == csv->delimiter;
        if (csv->next < csv->end) {
            csv->line += *csv->next == '\n';
            csv->next++;
        }
        if (end != NULL) {
            *end = '\0';
        }
    }
    row->cells = csv->cells.items;
    row->count = csv->cells.count;
    return FM_OK;
}

void fm_csv_end(struct fm_csv *csv)
{
    fm_vector_free(&csv->cells);
}
