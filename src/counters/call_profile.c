/* SPDX-License-Identifier: BSD-3-Clause */
#include "counters/call_profile.h"

#include "counters/row_file.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct fm_call_frame fm_call_frame_take_apart(char *text)
{
    struct fm_call_frame frame = {.name = text};
    char *open = strrchr(text, '('), *colon = strrchr(text, ':');
    size_t length = strlen(text);
    if (open != NULL && open > text && open[-1] == ' ' && colon != NULL && colon > open + 1 &&
        text[length - 1] == ')' && strspn(colon + 1, "0123456789") == strlen(colon + 1) - 1) {
        frame.line = (uint32_t)strtoul(colon + 1, NULL, 10);
        frame.file = open + 1;
        *colon = open[-1] = '\0';
    }
    return frame;
}

/* @return false: not a number */
static bool parse_number(const char *text, double *number)
{
    char *end;
    *number = strtod(text, &end);
    return end != text && *end == '\0' && *number >= 0;
}

static bool parse(char *const *fields, size_t count, struct fm_call_row *row)
{
    static const struct {
        const char *name;
        size_t numbers, texts;
        bool has_frames;
    } kinds[] = {[FM_ROW_THREAD] = {"thread", 1, 0, false},
                 [FM_ROW_CALL] = {"call", FM_CALL_NUMBERS, 1, true},
                 [FM_ROW_STRETCH] = {"stretch", FM_STRETCH_NUMBERS, 0, true},
                 [FM_ROW_FUNCTION] = {"function", FM_FUNCTION_NUMBERS, 2, false},
                 [FM_ROW_BEGUN] = {"begun", 1, 0, true}};
    size_t kind = 0;
    double thread;
    *row = (struct fm_call_row){0};
    while (kind < sizeof kinds / sizeof kinds[0] && strcmp(fields[0], kinds[kind].name) != 0) {
        kind++;
    }
    if (kind == sizeof kinds / sizeof kinds[0]) {
        return false;
    }
    size_t fixed = 2 + kinds[kind].numbers + kinds[kind].texts;
    if (count < fixed || (count > fixed && !kinds[kind].has_frames) ||
        !parse_number(fields[1], &thread) || thread >= 1 << 24) {
        return false;
    }
    row->kind = (enum fm_call_row_kind)kind;
    row->thread = (unsigned)thread;
    for (size_t i = 0; i < kinds[kind].numbers; i++) {
        if (!parse_number(fields[2 + i], &row->numbers[i])) {
            return false;
        }
    }
    row->function = kinds[kind].texts > 0 ? fields[2 + kinds[kind].numbers] : NULL;
    row->file = kinds[kind].texts > 1 ? fields[3 + kinds[kind].numbers] : NULL;
    row->frames = fields + fixed;
    row->frame_count = count - fixed;
    return true;
}

fm_status_t fm_call_profile_read(const char *path, fm_call_row_take *take, void *context,
                                 struct fm_error *error)
{
    struct fm_row_file rows;
    fm_status_t status = fm_row_file_open(&rows, path, FM_CALL_PROFILE_HEAD, "calls", error);
    while (fm_row_file_next(&rows, &status, error)) {
        struct fm_call_row row;
        status = parse(rows.fields.items, rows.fields.count, &row)
                     ? take(context, &row, error)
                     : fm_row_file_refuse(&rows, error);
    }
    fm_row_file_close(&rows);
    return status;
}
