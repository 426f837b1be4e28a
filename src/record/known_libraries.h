/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The libraries whose functions can be recorded, as the tables of the paradigms name them.
 */
#ifndef FERMATA_RECORD_KNOWN_LIBRARIES_H
#define FERMATA_RECORD_KNOWN_LIBRARIES_H

#include <stdbool.h>
#include <stddef.h>

/** A library of a paradigm. */
struct fm_paradigm_library {
    const char *soname;   /**< begin of its file's name: "libmpi.so.40" */
    const char *wrappers; /**< file name of the wrappers for it, beside the preload library */
    const char *title;    /**< its name for people: "Open MPI" */
    bool is_system;       /**< it is the C library, which every program has */
};

extern const struct fm_paradigm_library fm_paradigm_libraries[];
extern const size_t fm_paradigm_library_count;

#endif
