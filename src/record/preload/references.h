/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * References of loaded objects to functions of others: the entries of their tables, which the
 * dynamic linker fills.
 */
#ifndef FERMATA_RECORD_PRELOAD_REFERENCES_H
#define FERMATA_RECORD_PRELOAD_REFERENCES_H

#include <link.h>

/** Chooses where a reference leads to.
 * @param name     of a function that the object does not define itself
 * @param current  where it leads to; a place in the object itself: it is not bound yet
 * @return the function that it is to lead to; NULL: as it does */
typedef void *fm_reference_choice_t(void *context, const char *name, void *current);

/** Lets the references of an object whose names begin with `begin` lead where `choice` wants. */
void fm_references_change(const struct dl_phdr_info *object, const char *begin,
                          fm_reference_choice_t *choice, void *context);

#endif
