/** @file
 * Whether words that come from a file are a definition.
 */
#ifndef FERMATA_RECORD_REBUILD_DEFINE_CHECK_H
#define FERMATA_RECORD_REBUILD_DEFINE_CHECK_H

#include "record/archive/define.h"

/** Largest group, topology and number of threads that is believed. */
enum { FM_DEFINE_LARGEST = 1 << 26 };

/** Checks the layout of a definition (define.h) and that what it refers to is in the set, before
 * the definition is added.
 * @return whether fm_define and the writers of archives may use it */
bool fm_define_is_sound(const struct fm_definitions *set, enum fm_define_kind kind,
                        const uint32_t *words, size_t count);

#endif
