/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Reads JSON token by token from a file that may be compressed by gzip: the memory needed does not
 * depend on the size of the file. Numbers stay text, so that times keep all of their digits.
 *
 * Lenient where PyTorch's profiler is: NaN, Infinity and control characters in strings are
 * accepted.
 */
#ifndef FERMATA_IMPORT_KINETO_JSON_READER_H
#define FERMATA_IMPORT_KINETO_JSON_READER_H

#include "base/containers/vector.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <zlib.h>

/** Objects and arrays that may be open at once. */
#define FM_JSON_MOST_OPEN 64

enum fm_json_token {
    FM_JSON_OBJECT,
    FM_JSON_OBJECT_END,
    FM_JSON_ARRAY,
    FM_JSON_ARRAY_END,
    FM_JSON_KEY,    /**< of the value that follows; its text is in `text` */
    FM_JSON_STRING, /**< likewise */
    FM_JSON_NUMBER, /**< likewise, as it is written */
    FM_JSON_LITERAL /**< true, false, null, NaN, ...: likewise */
};

/** A reader. Private but for `token` and `text`. */
struct fm_json_reader {
    gzFile file;
    const char *path;
    unsigned char *buffer;
    size_t at, filled;
    uint64_t passed;            /**< bytes before the buffer */
    FM_VECTOR(char) characters; /**< of the current token, and a NUL */
    unsigned depth;
    bool is_object[FM_JSON_MOST_OPEN];
    bool expects_key, expects_comma;
    enum fm_json_token token;
    const char *text; /**< of the current token; valid until the next one */
};

/** Opens a file. @param path  must outlive the reader
 * @return FM_OK: to be closed with fm_json_reader_close() */
fm_status_t fm_json_reader_open(struct fm_json_reader *reader, const char *path,
                                struct fm_error *error);

void fm_json_reader_close(struct fm_json_reader *reader);

/** Reads the next token.
 * @return FM_ERR_DATA with the file, the byte and the reason; FM_ERR_SYSTEM: it cannot be read */
fm_status_t fm_json_next(struct fm_json_reader *reader, struct fm_error *error);

/** Reads to the end of the value whose first token is the current one. */
fm_status_t fm_json_skip(struct fm_json_reader *reader, struct fm_error *error);

/** Reads a number as multiples of 1 / 10^digits, exactly: "12.5" with 3 digits gives 12500. What
 * is less than one multiple is rounded to the nearest.
 * @return false: no number, or too large */
bool fm_json_decimal(const char *text, unsigned digits, int64_t *value);

#endif
