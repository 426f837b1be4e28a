/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The interface between programs that `fermata link` has linked and the preload library. Such a
 * program contains entries (entry.h) of the functions that it calls of libraries that are part of
 * it. When it starts, it reports them to the preload library, if that was loaded; without it, the
 * entries lead to the library's functions.
 */
#ifndef FERMATA_RECORD_LINK_LINKED_H
#define FERMATA_RECORD_LINK_LINKED_H

/** An entry. */
struct fm_linked_entry {
    const char *name;      /**< of the function */
    void (*real)(void);    /**< the library's function */
    void (*current)(void); /**< target of the entry: `real` until the preload library changes it */
    const void *others;    /**< what the entry needs; for the linker only */
};

/** Exported by the preload library: takes the entries from `begin` up to `end` of the program or of
 * a library, which stays loaded. Called by constructors. */
typedef void fm_linked_register_t(struct fm_linked_entry *begin, struct fm_linked_entry *end);
#define FM_LINKED_REGISTER_SYMBOL "fermata_linked_register"

#endif
