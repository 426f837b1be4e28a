/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The terminal that a report is written to: its width, support of colour and UTF-8; wrapped
 * paragraphs and bars.
 */
#ifndef FERMATA_REPORT_TERMINAL_H
#define FERMATA_REPORT_TERMINAL_H

#include "diagnosis/sentences.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct fm_terminal {
    FILE *stream;
    unsigned width; /**< columns, at least 40 */
    bool colour;
    bool utf8;
};

enum fm_style { FM_STYLE_PLAIN, FM_STYLE_BOLD, FM_STYLE_DIM, FM_STYLE_ALARM };

/** Detects the properties of a stream. Width: COLUMNS, else the terminal's, else 80. Colour: only
 * on a terminal and without NO_COLOR. UTF-8: by the locale's LC_CTYPE, which this function sets
 * from the environment. Not thread-safe. */
struct fm_terminal fm_terminal_detect(FILE *stream);

/** Switches the style of the following text; no effect without colour. */
void fm_terminal_style(const struct fm_terminal *terminal, enum fm_style style);

/** Writes a heading on a line of its own, after an empty line. `text` is printed unchanged. */
void fm_terminal_heading(const struct fm_terminal *terminal, const char *text);

/** Writes a paragraph wrapped between words: `label` first, all lines of `text` from column
 * `indent` on. Both must be printable; the label must be empty or shorter than `indent`. */
void fm_terminal_paragraph(const struct fm_terminal *terminal, const char *label, unsigned indent,
                           const char *text);

/** Like fm_terminal_paragraph(), with a printf format. */
void fm_terminal_print(const struct fm_terminal *terminal, const char *label, unsigned indent,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));

/** Writes sentences as paragraphs: their labels after `margin` blanks, their text from column
 * `indent` on. */
void fm_terminal_sentences(const struct fm_terminal *terminal, const struct fm_sentences *sentences,
                           unsigned margin, unsigned indent);

/** Writes a bar of `fraction` (clamped to 0..1) in a width of `columns` columns.
 * @return the number of columns used */
unsigned fm_terminal_bar(const struct fm_terminal *terminal, double fraction, unsigned columns);

/** Draws a line of columns between bars: `values` (not negative), each relative to the highest. A
 * value other than 0 never looks like 0. No newline is written. */
void fm_terminal_graph(const struct fm_terminal *terminal, const double *values, unsigned count);

/** @return the number of lines of a text that was written for a terminal. */
unsigned fm_terminal_lines(const char *text);

/** @return `text` made printable on this terminal, never NULL; to be freed with free(). */
char *fm_terminal_name(const struct fm_terminal *terminal, const char *text);

#endif
