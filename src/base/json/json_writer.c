/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/json/json_writer.h"

#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

struct fm_json fm_json_begin(FILE *stream, enum fm_json_style style)
{
    return (struct fm_json){.stream = stream, .style = style, .indent = -1};
}

static void put_line(struct fm_json *json)
{
    if (json->indent >= 0) {
        fprintf(json->stream, "\n%*s", json->indent, "");
        json->indent = -1;
    }
}

/** Writes what stands before a value: comma, new line, key. */
static void put_key(struct fm_json *json, const char *key)
{
    uint32_t bit = UINT32_C(1) << (json->depth % FM_JSON_DEPTH);
    bool in_object = json->depth > 0 && (json->is_object & bit) != 0;
    if (in_object != (key != NULL)) {
        abort(); /* a member needs a key, and nothing else has one */
    }
    if (json->style == FM_JSON_INDENTED && json->depth > 0) {
        fm_json_line(json, 2 * json->depth);
    }
    if (json->has_values & bit) {
        fputs(json->style == FM_JSON_SPACED && json->indent < 0 ? ", " : ",", json->stream);
    }
    json->has_values |= bit;
    put_line(json);
    if (key != NULL) {
        fm_text_write_json(json->stream, key);
        fputs(json->style == FM_JSON_COMPACT ? ":" : ": ", json->stream);
    }
}

static void open_value(struct fm_json *json, const char *key, bool is_object)
{
    put_key(json, key);
    if (++json->depth >= FM_JSON_DEPTH) {
        abort();
    }
    uint32_t bit = UINT32_C(1) << json->depth;
    json->has_values &= ~bit;
    json->is_object = is_object ? json->is_object | bit : json->is_object & ~bit;
    putc(is_object ? '{' : '[', json->stream);
}

void fm_json_object(struct fm_json *json, const char *key)
{
    open_value(json, key, true);
}

void fm_json_array(struct fm_json *json, const char *key)
{
    open_value(json, key, false);
}

void fm_json_end(struct fm_json *json)
{
    if (json->depth == 0) {
        abort();
    }
    uint32_t bit = UINT32_C(1) << json->depth;
    json->depth--;
    if (json->style == FM_JSON_INDENTED && (json->has_values & bit) != 0) {
        fm_json_line(json, 2 * json->depth);
    }
    put_line(json);
    putc(json->is_object & bit ? '}' : ']', json->stream);
}

void fm_json_line(struct fm_json *json, unsigned indent)
{
    json->indent = (int)indent;
}

void fm_json_string(struct fm_json *json, const char *key, const char *text)
{
    put_key(json, key);
    fm_text_write_json(json->stream, text);
}

void fm_json_unsigned(struct fm_json *json, const char *key, uint64_t value)
{
    put_key(json, key);
    fprintf(json->stream, "%" PRIu64, value);
}

void fm_json_signed(struct fm_json *json, const char *key, int64_t value)
{
    put_key(json, key);
    fprintf(json->stream, "%" PRId64, value);
}

void fm_json_double(struct fm_json *json, const char *key, double value)
{
    char number[FM_TEXT_NUMBER];
    fm_json_raw(json, key, isfinite(value) ? fm_text_shortest(number, value) : "null");
}

void fm_json_bool(struct fm_json *json, const char *key, bool value)
{
    fm_json_raw(json, key, value ? "true" : "false");
}

void fm_json_null(struct fm_json *json, const char *key)
{
    fm_json_raw(json, key, "null");
}

void fm_json_raw(struct fm_json *json, const char *key, const char *value)
{
    put_key(json, key);
    for (; *value != '\0'; value++) {
        putc(*value, json->stream);
        if (*value == '\n' && json->style == FM_JSON_INDENTED) {
            fprintf(json->stream, "%*s", (int)(2 * json->depth), "");
        }
    }
}

void fm_json_format(struct fm_json *json, const char *key, const char *format, ...)
{
    put_key(json, key);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(json->stream, format, arguments);
    va_end(arguments);
}
