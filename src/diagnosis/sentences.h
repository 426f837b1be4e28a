/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Labelled sentences, for the terminal and for the page.
 */
#ifndef FERMATA_DIAGNOSIS_SENTENCES_H
#define FERMATA_DIAGNOSIS_SENTENCES_H

#include <stddef.h>

/** One or more sentences; the label is a constant such as "Why", or "". */
struct fm_sentence {
    const char *label;
    char *text; /**< printable */
};

/** A growing list; `{0}` is an empty list. */
struct fm_sentences {
    struct fm_sentence *items;
    size_t count, capacity;
};

/** Appends a line with a printf format. `label` must outlive the list. */
void fm_sentences_add(struct fm_sentences *lines, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Frees the lines; the list is empty afterwards. */
void fm_sentences_free(struct fm_sentences *lines);

#endif
