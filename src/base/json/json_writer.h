/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Writes JSON to a stream as it is produced: nothing is kept but the open objects and arrays, and
 * nothing is allocated. Commas are written by the writer, line breaks where fm_json_line() asks for
 * them. Errors are left in the stream.
 *
 * Each function that writes a value takes a key first: the key of a member inside of an object,
 * NULL inside of an array and for the outermost value. Keys are constants of the program and need
 * no escapes. Calls that do not fit (too deep, an end without a begin) are errors of the program
 * and end it.
 */
#ifndef FERMATA_BASE_JSON_JSON_WRITER_H
#define FERMATA_BASE_JSON_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/** The white space of a document. */
enum fm_json_style {
    FM_JSON_COMPACT, /**< none */
    FM_JSON_SPACED,  /**< a blank behind commas and colons */
    FM_JSON_INDENTED /**< each value on a line of its own, two blanks for each level */
};

/** Objects and arrays that may be open at once. */
#define FM_JSON_DEPTH 32

/** A writer. Private but for its place in memory. */
struct fm_json {
    FILE *stream;
    enum fm_json_style style;
    unsigned depth;      /**< open objects and arrays */
    uint32_t is_object;  /**< bit by depth: the innermost is an object, not an array */
    uint32_t has_values; /**< bit by depth: a comma stands before the next value */
    int indent;          /**< blanks on a new line before the next value or end; -1: same line */
};

/** @return a writer at the begin of a document. The stream must outlive it. */
struct fm_json fm_json_begin(FILE *stream, enum fm_json_style style);

/** Begin an object, or an array. */
void fm_json_object(struct fm_json *json, const char *key);
void fm_json_array(struct fm_json *json, const char *key);

/** Ends the innermost object or array. */
void fm_json_end(struct fm_json *json);

/** Puts what comes next, a value or an end, on a line of its own behind `indent` blanks. Not needed
 * in the indented style. */
void fm_json_line(struct fm_json *json, unsigned indent);

/** Writes a string; NULL gives null. */
void fm_json_string(struct fm_json *json, const char *key, const char *text);

/** Write integers with all their digits. */
void fm_json_unsigned(struct fm_json *json, const char *key, uint64_t value);
void fm_json_signed(struct fm_json *json, const char *key, int64_t value);

/** Writes the shortest decimal that reads back as exactly `value`; null unless it is finite. */
void fm_json_double(struct fm_json *json, const char *key, double value);

void fm_json_bool(struct fm_json *json, const char *key, bool value);
void fm_json_null(struct fm_json *json, const char *key);

/** Writes a text that is a JSON value already. Its lines, if any, are indented as the style asks.
 */
void fm_json_raw(struct fm_json *json, const char *key, const char *value);

/** As fm_json_raw() with a printf format, for numbers in a notation of their own. */
void fm_json_format(struct fm_json *json, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
