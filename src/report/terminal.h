/** @file
 * The terminal that a report is written to: its width, whether it takes colour and UTF-8; wrapped
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

/** Finds out about a stream: width from COLUMNS, else the terminal's, else 80; colour only on a
 * terminal and without NO_COLOR; UTF-8 by the locale's LC_CTYPE, which this sets from the
 * environment. Call it from one thread. */
struct fm_terminal fm_terminal_detect(FILE *stream);

/** Switches the style of what follows; does nothing without colour. */
void fm_terminal_style(const struct fm_terminal *terminal, enum fm_style style);

/** Writes a heading on a line of its own, after an empty line. `text` is printed as it is. */
void fm_terminal_heading(const struct fm_terminal *terminal, const char *text);

/** Writes a paragraph wrapped between words: `label` first, all lines of `text` from column
 * `indent` on. Both must be printable; label columns must be below `indent` or 0. */
void fm_terminal_paragraph(const struct fm_terminal *terminal, const char *label, unsigned indent,
                           const char *text);

/** As fm_terminal_paragraph() with a printf format. */
void fm_terminal_print(const struct fm_terminal *terminal, const char *label, unsigned indent,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));

/** Writes sentences as paragraphs: their labels behind `margin` blanks, their text from column
 * `indent` on. */
void fm_terminal_sentences(const struct fm_terminal *terminal, const struct fm_sentences *sentences,
                           unsigned margin, unsigned indent);

/** Writes a bar of `fraction` (0 to 1; others are limited) of `columns` columns.
 * @return the number of columns used */
unsigned fm_terminal_bar(const struct fm_terminal *terminal, double fraction, unsigned columns);

/** Draws a line of columns, `values` (not negative), each relative to the highest, between bars:
 * what is not 0 never looks as if it were. Without an end of line. */
void fm_terminal_graph(const struct fm_terminal *terminal, const double *values, unsigned count);

/** @return `text` made printable on this terminal, never NULL; to be freed with free(). */
char *fm_terminal_name(const struct fm_terminal *terminal, const char *text);

#endif
