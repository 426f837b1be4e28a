#include "counters/call_profile.h"

#include "base/containers/vector.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef FM_VECTOR(char *) fields_t;

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

/* Splits a row at its tabs. */
static void split(char *line, fields_t *fields)
{
    fields->count = 0;
    line[strcspn(line, "\n")] = '\0';
    for (char *next = line; next != NULL;) {
        fm_vector_push(fields, next);
        next = strchr(next, '\t');
        if (next != NULL) {
            *next++ = '\0';
        }
    }
}

/* @return false: not a number */
static bool parse_number(const char *text, double *number)
{
    char *end;
    *number = strtod(text, &end);
    return end != text && *end == '\0' && *number >= 0;
}

static bool parse(const fields_t *fields, struct fm_call_row *row)
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
    while (kind < sizeof kinds / sizeof kinds[0] &&
           strcmp(fields->items[0], kinds[kind].name) != 0) {
        kind++;
    }
    if (kind == sizeof kinds / sizeof kinds[0]) {
        return false;
    }
    size_t fixed = 2 + kinds[kind].numbers + kinds[kind].texts;
    if (fields->count < fixed || (fields->count > fixed && !kinds[kind].has_frames) ||
        !parse_number(fields->items[1], &thread) || thread >= 1 << 24) {
        return false;
    }
    row->kind = (enum fm_call_row_kind)kind;
    row->thread = (unsigned)thread;
    for (size_t i = 0; i < kinds[kind].numbers; i++) {
        if (!parse_number(fields->items[2 + i], &row->numbers[i])) {
            return false;
        }
    }
    row->function = kinds[kind].texts > 0 ? fields->items[2 + kinds[kind].numbers] : NULL;
    row->file = kinds[kind].texts > 1 ? fields->items[3 + kinds[kind].numbers] : NULL;
    row->frames = fields->items + fixed;
    row->frame_count = fields->count - fixed;
    return true;
}

fm_status_t fm_call_profile_read(const char *path, fm_call_row_take *take, void *context,
                                 struct fm_error *error)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t room = 0, number = 0;
    fields_t fields = {0};
    fm_status_t status = FM_OK;
    if (file == NULL) {
        int reason = errno;
        status = fm_fail(error, FM_ERR_SYSTEM, "cannot read %s: %m", path);
        errno = reason;
        return status;
    }
    while (status == FM_OK && getline(&line, &room, file) > 0) {
        struct fm_call_row row;
        if (++number == 1) {
            line[strcspn(line, "\n")] = '\0';
            if (strcmp(line, FM_CALL_PROFILE_HEAD) != 0) {
                status =
                    fm_fail(error, FM_ERR_DATA, "%s: not the calls of this version of fermata (%s)",
                            path, FM_CALL_PROFILE_HEAD);
            }
            continue;
        }
        split(line, &fields);
        status = parse(&fields, &row)
                     ? take(context, &row, error)
                     : fm_fail(error, FM_ERR_DATA, "%s:%zu: not a row of calls", path, number);
    }
    if (status == FM_OK && number == 0) {
        status = fm_fail(error, FM_ERR_DATA, "%s: empty", path);
    }
    free(line);
    fm_vector_free(&fields);
    fclose(file);
    return status;
}
