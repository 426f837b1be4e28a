/** @file
 * Labelled sentences, made once and then printed in the terminal or written into the page.
 */
#ifndef FERMATA_REPORT_LINES_H
#define FERMATA_REPORT_LINES_H

#include "report/terminal.h"

#include <stddef.h>

/** A sentence or a few; the label is a constant such as "Why", "" for none. */
struct fm_line {
    const char *label;
    char *text; /**< printable */
};

/** A growing list: `{0}` is an empty one. */
struct fm_lines {
    struct fm_line *items;
    size_t count, capacity;
};

/** Appends a line with a printf format. `label` must outlive the lines. */
void fm_lines_add(struct fm_lines *lines, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Prints the lines as paragraphs, their labels behind `margin` blanks, their text from column
 * `indent` on. */
void fm_lines_print(const struct fm_lines *lines, const struct fm_terminal *terminal,
                    unsigned margin, unsigned indent);

/** Frees the lines; the list is empty afterwards. */
void fm_lines_free(struct fm_lines *lines);

#endif
