/* SPDX-License-Identifier: BSD-3-Clause */
#include "import/kineto/json_reader.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER = 1 << 18, END = -1 };

fm_status_t fm_json_reader_open(struct fm_json_reader *reader, const char *path,
                                struct fm_error *error)
{
    *reader = (struct fm_json_reader){.path = path, .file = gzopen(path, "rbe")};
    if (reader->file == NULL) {
        return fm_fail(error, FM_ERR_SYSTEM, "cannot open %s: %m", path);
    }
    reader->buffer = fm_allocate(BUFFER, 1);
    return FM_OK;
}

void fm_json_reader_close(struct fm_json_reader *reader)
{
    if (reader->file != NULL) {
        gzclose(reader->file);
    }
    fm_free(reader->buffer);
    fm_vector_free(&reader->characters);
    *reader = (struct fm_json_reader){0};
}

static fm_status_t refuse(const struct fm_json_reader *reader, const char *reason,
                          struct fm_error *error)
{
    return fm_fail(error, FM_ERR_DATA, "%s: byte %" PRIu64 ": %s", reader->path,
                   reader->passed + reader->at, reason);
}

/* Reads more. @return FM_OK also at the end of the file, where `filled` is 0 */
static fm_status_t fill(struct fm_json_reader *reader, struct fm_error *error)
{
    reader->passed += reader->filled;
    reader->at = reader->filled = 0;
    const int count = gzread(reader->file, reader->buffer, BUFFER);
    int code = Z_OK;
    const char *reason = gzerror(reader->file, &code);
    if (count < 0 || code == Z_BUF_ERROR) {
        return code == Z_ERRNO
                   ? fm_fail(error, FM_ERR_SYSTEM, "cannot read %s: %m", reader->path)
                   : fm_fail(error, FM_ERR_DATA,
                             "%s: the compressed file is damaged or truncated%s%s", reader->path,
                             code == Z_BUF_ERROR ? "" : ": ", code == Z_BUF_ERROR ? "" : reason);
    }
    reader->filled = (size_t)count;
    return FM_OK;
}

/* Gives the next character, or END. */
static inline fm_status_t peek(struct fm_json_reader *reader, int *character,
                               struct fm_error *error)
{
    if (reader->at == reader->filled) {
        const fm_status_t status = fill(reader, error);
        if (status != FM_OK) {
            return status;
        }
    }
    *character = reader->filled == 0 ? END : reader->buffer[reader->at];
    return FM_OK;
}

static fm_status_t peek_behind_space(struct fm_json_reader *reader, int *character,
                                     struct fm_error *error)
{
    fm_status_t status;
    while ((status = peek(reader, character, error)) == FM_OK &&
           (*character == ' ' || *character == '\n' || *character == '\r' || *character == '\t')) {
        reader->at++;
    }
    return status;
}

static void add_character(struct fm_json_reader *reader, unsigned code)
{
    if (code < 0x80) {
        fm_vector_push(&reader->characters, (char)code);
        return;
    }
    if (code < 0x800) {
        fm_vector_push(&reader->characters, (char)(0xc0 | code >> 6));
    } else {
        if (code < 0x10000) {
            fm_vector_push(&reader->characters, (char)(0xe0 | code >> 12));
        } else {
            fm_vector_push(&reader->characters, (char)(0xf0 | code >> 18));
            fm_vector_push(&reader->characters, (char)(0x80 | (code >> 12 & 0x3f)));
        }
        fm_vector_push(&reader->characters, (char)(0x80 | (code >> 6 & 0x3f)));
    }
    fm_vector_push(&reader->characters, (char)(0x80 | (code & 0x3f)));
}

/* Reads the four digits behind \u. */
static fm_status_t read_code(struct fm_json_reader *reader, unsigned *code, struct fm_error *error)
{
    *code = 0;
    for (int i = 0; i < 4; i++) {
        int character = END;
        const fm_status_t status = peek(reader, &character, error);
        if (status != FM_OK) {
            return status;
        }
        if (character == END || !isxdigit(character)) {
            return refuse(reader, "an escape \\u without four digits", error);
        }
        reader->at++;
        const int lower = tolower(character);
        *code = *code * 16 + (unsigned)(lower <= '9' ? lower - '0' : lower - 'a' + 10);
    }
    return FM_OK;
}

static fm_status_t read_escape(struct fm_json_reader *reader, struct fm_error *error)
{
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    int character = END;
    fm_status_t status = peek(reader, &character, error);
    if (status != FM_OK) {
        return status;
    }
    if (character == END) {
        return refuse(reader, "the file ends inside of a string", error);
    }
    reader->at++;
    if (character != 'u') {
        const char *found = strchr(from, character);
        fm_vector_push(&reader->characters, found != NULL ? to[found - from] : (char)character);
        return FM_OK;
    }
    unsigned code = 0;
    status = read_code(reader, &code, error);
    /* Half of a pair of surrogates, and a NUL, which would end the text, are replaced. */
    add_character(reader, code == 0 || (code >= 0xd800 && code < 0xe000) ? 0xfffd : code);
    return status;
}

static fm_status_t read_string(struct fm_json_reader *reader, struct fm_error *error)
{
    reader->at++;
    reader->characters.count = 0;
    for (;;) {
        int character = END;
        fm_status_t status = peek(reader, &character, error);
        if (status != FM_OK) {
            return status;
        }
        if (character == END) {
            return refuse(reader, "the file ends inside of a string", error);
        }
        reader->at++;
        if (character == '"') {
            break;
        }
        if (character == '\\') {
            status = read_escape(reader, error);
            if (status != FM_OK) {
                return status;
            }
        } else if (character != 0) {
            fm_vector_push(&reader->characters, (char)character);
        }
    }
    fm_vector_push(&reader->characters, '\0');
    reader->text = reader->characters.items;
    return FM_OK;
}

static fm_status_t read_word(struct fm_json_reader *reader, struct fm_error *error)
{
    reader->characters.count = 0;
    for (;;) {
        int character = END;
        const fm_status_t status = peek(reader, &character, error);
        if (status != FM_OK) {
            return status;
        }
        if (character == END || (!isalnum(character) && strchr("+-._", character) == NULL)) {
            break;
        }
        fm_vector_push(&reader->characters, (char)character);
        reader->at++;
    }
    if (reader->characters.count == 0) {
        return refuse(reader, "a value is expected here", error);
    }
    fm_vector_push(&reader->characters, '\0');
    reader->text = reader->characters.items;
    const char first = reader->text[0];
    const bool is_number =
        isdigit((unsigned char)first) || (first == '-' && isdigit((unsigned char)reader->text[1]));
    static const char *const literals[] = {"true",     "false",     "null", "NaN",  "nan", "-nan",
                                           "Infinity", "-Infinity", "inf",  "-inf", "-NaN"};
    reader->token = is_number ? FM_JSON_NUMBER : FM_JSON_LITERAL;
    for (size_t i = 0; !is_number; i++) {
        if (i == sizeof literals / sizeof *literals) {
            return refuse(reader, "a value is expected here", error);
        }
        if (strcmp(reader->text, literals[i]) == 0) {
            break;
        }
    }
    return FM_OK;
}

static fm_status_t open_value(struct fm_json_reader *reader, bool is_object, struct fm_error *error)
{
    if (reader->depth == FM_JSON_MOST_OPEN) {
        return refuse(reader, "more than 64 objects and arrays are nested", error);
    }
    reader->at++;
    reader->is_object[reader->depth++] = is_object;
    reader->expects_key = is_object;
    reader->expects_comma = false;
    reader->token = is_object ? FM_JSON_OBJECT : FM_JSON_ARRAY;
    return FM_OK;
}

static void value_ends(struct fm_json_reader *reader)
{
    reader->expects_comma = reader->depth > 0;
    reader->expects_key = reader->depth > 0 && reader->is_object[reader->depth - 1];
}

static fm_status_t read_key(struct fm_json_reader *reader, struct fm_error *error)
{
    int character = END;
    fm_status_t status = read_string(reader, error);
    if (status == FM_OK) {
        status = peek_behind_space(reader, &character, error);
    }
    if (status != FM_OK) {
        return status;
    }
    if (character != ':') {
        return refuse(reader, "a colon is expected here", error);
    }
    reader->at++;
    reader->token = FM_JSON_KEY;
    reader->expects_key = reader->expects_comma = false;
    return FM_OK;
}

fm_status_t fm_json_next(struct fm_json_reader *reader, struct fm_error *error)
{
    int character = END;
    fm_status_t status = peek_behind_space(reader, &character, error);
    if (status == FM_OK && reader->expects_comma && character == ',') {
        reader->at++;
        reader->expects_comma = false;
        status = peek_behind_space(reader, &character, error);
    }
    if (status != FM_OK) {
        return status;
    }
    if (character == END) {
        return refuse(reader, "the file is truncated: it ends inside of the JSON text", error);
    }
    if (reader->depth > 0 && character == (reader->is_object[reader->depth - 1] ? '}' : ']')) {
        reader->at++;
        reader->token = reader->is_object[--reader->depth] ? FM_JSON_OBJECT_END : FM_JSON_ARRAY_END;
        value_ends(reader);
        return FM_OK;
    }
    if (reader->expects_comma) {
        return refuse(reader, "a comma is expected here", error);
    }
    if (reader->expects_key) {
        return character == '"' ? read_key(reader, error)
                                : refuse(reader, "a key is expected here", error);
    }
    if (character == '{' || character == '[') {
        return open_value(reader, character == '{', error);
    }
    if (character == '"') {
        status = read_string(reader, error);
        reader->token = FM_JSON_STRING;
    } else {
        status = read_word(reader, error);
    }
    value_ends(reader);
    return status;
}

fm_status_t fm_json_skip(struct fm_json_reader *reader, struct fm_error *error)
{
    if (reader->token != FM_JSON_OBJECT && reader->token != FM_JSON_ARRAY) {
        return FM_OK;
    }
    const unsigned outer = reader->depth - 1;
    fm_status_t status = FM_OK;
    while (status == FM_OK && reader->depth > outer) {
        status = fm_json_next(reader, error);
    }
    return status;
}

bool fm_json_decimal(const char *text, unsigned digits, int64_t *value)
{
    const bool is_negative = *text == '-';
    uint64_t number = 0;
    const char *at = text + is_negative;
    if (!isdigit((unsigned char)*at)) {
        return false;
    }
    for (; isdigit((unsigned char)*at); at++) {
        if (number > (INT64_MAX - 9) / 10) {
            return false;
        }
        number = number * 10 + (uint64_t)(*at - '0');
    }
    if (*at == 'e' || *at == 'E' || (*at == '.' && strpbrk(at, "eE") != NULL)) {
        const double scaled = strtod(text, NULL) * pow(10, digits);
        if (!(fabs(scaled) < 4e18)) {
            return false;
        }
        *value = llround(scaled);
        return true;
    }
    at += *at == '.';
    for (unsigned i = 0; i < digits; i++) {
        const bool has_digit = isdigit((unsigned char)*at);
        if (number > (INT64_MAX - 9) / 10) {
            return false;
        }
        number = number * 10 + (has_digit ? (uint64_t)(*at - '0') : 0);
        at += has_digit;
    }
    number += *at >= '5' && *at <= '9';
    *value = is_negative ? -(int64_t)number : (int64_t)number;
    return true;
}
