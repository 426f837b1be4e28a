/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Text from traces and file names is data: it may hold any bytes. These functions write it such
 * that it stays harmless and valid where it goes (terminal, JSON, CSV).
 */
#ifndef FERMATA_BASE_TEXT_H
#define FERMATA_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** Decodes one character of UTF-8.
 * @param text        NUL-terminated, not at its end
 * @param code_point  out: the character; UINT32_MAX if the bytes are no valid UTF-8 (overlong,
 *                    surrogate, truncated ...), then 1 byte is consumed
 * @return the number of bytes consumed, at least 1. Thread-safe. */
size_t fm_text_decode(const char *text, uint32_t *code_point);

/** Makes `text` safe to print on a terminal: control characters (escape sequences, C1 controls),
 * characters that change the writing direction, and bytes that are no valid UTF-8 become \xNN or
 * \u{NNNN}; so does everything beyond ASCII if the terminal is not `utf8`.
 * @return a new string, to be freed by the caller; NULL without memory. Thread-safe. */
char *fm_text_printable(const char *text, bool utf8);

/** @return the number of terminal columns of a printable text, by the current LC_CTYPE. */
size_t fm_text_columns(const char *text);

/** @return how many leading bytes of a printable text fit into `columns` terminal columns; never
 * splits a character. */
size_t fm_text_fit(const char *text, size_t columns);

/** @return `text` as a word of a POSIX shell's command, in quotes where needed; to be freed by the
 * caller; NULL without memory. Thread-safe. */
char *fm_text_shell_word(const char *text);

/** Writes `text` as a JSON string with its quotes; NULL gives null. Bytes that are no valid UTF-8
 * become U+FFFD. Errors are left in the stream. */
void fm_text_write_json(FILE *stream, const char *text);

/** Writes `text` as a field of a CSV file (RFC 4180), in quotes where needed. The field is harmless
 * on a terminal and in a spreadsheet: control characters (line feeds included) become \xNN or
 * \u{NNNN} as in fm_text_printable(), and a text that a spreadsheet would evaluate (a leading =, +,
 * -, @) gets a leading apostrophe. For texts only: numbers are written without it. Bytes that are
 * no valid UTF-8 become U+FFFD. Errors are left in the stream. */
void fm_text_write_csv(FILE *stream, const char *text);

/** Writes `text` (NULL: nothing) as the content of an XML element or of an attribute in double
 * quotes. Bytes that are no valid UTF-8, and characters that XML does not have, become U+FFFD.
 * Errors are left in the stream. */
void fm_text_write_xml(FILE *stream, const char *text);

/** Large enough for every number that fm_text_shortest() writes. */
#define FM_TEXT_NUMBER 32

/** Writes the shortest decimal that reads back as exactly `value` (finite), as JSON allows it.
 * @return buffer. Thread-safe. */
char *fm_text_shortest(char buffer[FM_TEXT_NUMBER], double value);

/** Writes an integer with its digits in groups: "12,345". @return buffer. Thread-safe. */
char *fm_text_count(char buffer[FM_TEXT_NUMBER], int64_t value);

/** Writes `part` of `whole` as "31.2%"; 0 if `whole` is 0. A small value other than 0 is written as
 * "<0.1%", not "0.0%"; a part slightly less than the whole as ">99.9%", not "100.0%".
 * @return buffer. Thread-safe. */
char *fm_text_percent(char buffer[FM_TEXT_NUMBER], int64_t part, int64_t whole);

/** Writes by how much a run that takes `more` times its time in addition is longer: "less than 0.1%
 * longer", "about 5.7% longer", "about 6.2 times as long".
 * @param is_least  it is not less, and may be much more: "at least 6.2 times as long"
 * @return buffer. Thread-safe. */
char *fm_text_longer(char buffer[FM_TEXT_NUMBER], double more, bool is_least);

#endif
