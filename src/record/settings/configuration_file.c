/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/settings/configuration_file.h"

#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A part of the text; not NUL-terminated. */
struct span {
    const char *begin, *end;
};

struct line {
    struct span rest;
    char place[600]; /* file and line, for messages */
    struct fm_error *error;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_blanks(struct span *text)
{
    while (text->begin < text->end && is_blank(*text->begin)) {
        text->begin++;
    }
}

static struct span trimmed(struct span text)
{
    skip_blanks(&text);
    while (text.end > text.begin && is_blank(text.end[-1])) {
        text.end--;
    }
    return text;
}

/* Where a comment begins, or the end. */
static const char *comment(struct span text)
{
    const char *c = text.begin;
    while (c < text.end && !(*c == '#' && (c == text.begin || is_blank(c[-1])))) {
        c++;
    }
    return c;
}

static fm_status_t fail(const struct line *line, const char *reason)
{
    return fm_fail(line->error, FM_ERR_USAGE, "%s: %s", line->place, reason);
}

static fm_status_t parse_name(struct line *line, enum fm_setting_id *id)
{
    const char *equals = memchr(line->rest.begin, '=', (size_t)(line->rest.end - line->rest.begin));
    if (equals == NULL) {
        return fail(line, "no `name = value`");
    }
    struct span name = trimmed((struct span){line->rest.begin, equals});
    line->rest.begin = equals + 1;
    *id = fm_setting_named(name.begin, (size_t)(name.end - name.begin));
    if (*id == FM_SETTING_COUNT) {
        return fm_fail(line->error, FM_ERR_USAGE,
                       "%s: '%.*s' is no setting; see fermata record --help", line->place,
                       name.end - name.begin > 64 ? 64 : (int)(name.end - name.begin), name.begin);
    }
    return FM_OK;
}

static fm_status_t parse_value(struct line *line, struct span *value)
{
    skip_blanks(&line->rest);
    struct span rest = line->rest;
    if (rest.begin == rest.end || *rest.begin != '"') {
        *value = trimmed((struct span){rest.begin, comment(rest)});
        return FM_OK;
    }
    const char *end = memchr(rest.begin + 1, '"', (size_t)(rest.end - rest.begin - 1));
    if (end == NULL) {
        return fail(line, "the quotation mark has no partner");
    }
    *value = (struct span){rest.begin + 1, end};
    rest = (struct span){end + 1, rest.end};
    struct span more = trimmed((struct span){rest.begin, comment(rest)});
    return more.begin == more.end ? FM_OK : fail(line, "text behind the closing quotation mark");
}

/* @param seen  settings that occurred before in the file */
static fm_status_t parse_line(struct line *line, struct fm_settings *settings,
                              enum fm_setting_source source, bool seen[FM_SETTING_COUNT])
{
    enum fm_setting_id id;
    struct span value = {NULL, NULL};
    skip_blanks(&line->rest);
    if (comment(line->rest) == line->rest.begin) {
        return FM_OK; /* empty, or a comment */
    }
    fm_status_t status = parse_name(line, &id);
    if (status == FM_OK && seen[id]) {
        status = fm_fail(line->error, FM_ERR_USAGE, "%s: %s is set a second time", line->place,
                         fm_settings_known[id].name);
    }
    if (status == FM_OK) {
        status = parse_value(line, &value);
    }
    if (status == FM_OK) {
        size_t length = (size_t)(value.end - value.begin);
        char *text = fm_allocate(length + 1, 1);
        memcpy(text, value.begin, length);
        seen[id] = true;
        status = fm_settings_set(settings, id, text, source, line->place, line->error);
        fm_free(text);
    }
    return status;
}

fm_status_t fm_configuration_parse(const char *text, size_t length, const char *name,
                                   struct fm_settings *settings, enum fm_setting_source source,
                                   struct fm_error *error)
{
    bool seen[FM_SETTING_COUNT] = {false};
    struct line line = {.error = error};
    const char *end = text + length;
    fm_status_t status = FM_OK;
    for (unsigned number = 1; text < end && status == FM_OK; number++) {
        const char *next = memchr(text, '\n', (size_t)(end - text));
        line.rest = (struct span){text, next != NULL ? next : end};
        snprintf(line.place, sizeof line.place, "%.580s:%u", name, number);
        if (memchr(line.rest.begin, '\0', (size_t)(line.rest.end - line.rest.begin)) != NULL) {
            return fail(&line, "a zero byte: this is no text");
        }
        status = parse_line(&line, settings, source, seen);
        text = next != NULL ? next + 1 : end;
    }
    return status;
}

fm_status_t fm_configuration_read(const char *path, struct fm_settings *settings,
                                  enum fm_setting_source source, struct fm_error *error)
{
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return fm_fail(error, FM_ERR_SYSTEM, "cannot read the configuration file %s: %m", path);
    }
    char *text = fm_allocate(FM_CONFIGURATION_LARGEST + 1, 1);
    size_t length = fread(text, 1, FM_CONFIGURATION_LARGEST + 1, file);
    fm_status_t status =
        ferror(file) != 0
            ? fm_fail(error, FM_ERR_SYSTEM, "cannot read the configuration file %s: %m", path)
        : length > FM_CONFIGURATION_LARGEST
            ? fm_fail(error, FM_ERR_USAGE, "%s is too large for a configuration file", path)
            : fm_configuration_parse(text, length, path, settings, source, error);
    fm_free(text);
    fclose(file);
    return status;
}
