/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The kinds of marks that programs carry (mark_kinds.def), and the setting `marks`, which selects
 * them.
 */
#ifndef FERMATA_RECORD_MARKS_MARK_KINDS_H
#define FERMATA_RECORD_MARKS_MARK_KINDS_H

#include <stdbool.h>
#include <stdint.h>

/** File name of the library that programs load for their marks, beside the preload library. */
#define FM_MARKS_LIBRARY "libfermata-marks.so"

/** The variable of the setting. */
#define FM_MARKS_VARIABLE "FERMATA_MARKS"

/** The kinds, in the order of mark_kinds.def. */
enum fm_mark_kind {
#define FM_MARK_KIND(identifier, ...) FM_MARKS_##identifier,
#include "record/marks/mark_kinds.def"
#undef FM_MARK_KIND
    FM_MARK_KINDS
};

/** A row of mark_kinds.def. */
struct fm_mark_kind_facts {
    const char *name;     /**< in lists */
    const char *variable; /**< names the library that the program loads; NULL: none */
    bool by_default;
    const char *title; /**< in messages */
    const char *way;   /**< how the recorder is reached */
};
extern const struct fm_mark_kind_facts fm_mark_kinds[FM_MARK_KINDS];

/** Reads a value of the setting: names separated by commas, `default`, or `off`.
 * @param text  NULL or "": the default
 * @param kinds out: a bit for each selected kind
 * @return false: the text is invalid */
bool fm_mark_kinds_read(const char *text, uint32_t *kinds);

#endif
