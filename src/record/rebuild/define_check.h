/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Validation of definitions that are read from a file.
 */
#ifndef FERMATA_RECORD_REBUILD_DEFINE_CHECK_H
#define FERMATA_RECORD_REBUILD_DEFINE_CHECK_H

#include "record/archive/define.h"

/** Largest group, topology and number of threads that is accepted. */
enum { FM_DEFINE_LARGEST = 1 << 26 };

/** Checks the layout of a definition (define.h), and that all definitions that it refers to are in
 * the set. Called before the definition is added.
 * @return whether the definition is valid for fm_define and the writers of archives */
bool fm_define_is_sound(const struct fm_definitions *set, enum fm_define_kind kind,
                        const uint32_t *words, size_t count);

#endif
