/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Functions of the C library that this library interposes, itself or for a paradigm.
 */
#ifndef FERMATA_RECORD_PRELOAD_SYSTEM_LIBRARY_H
#define FERMATA_RECORD_PRELOAD_SYSTEM_LIBRARY_H

/** @return the next definition of a function after this library, in the version that programs use
 * today; NULL: there is none */
void *fm_preload_next(const char *name);

/** dlsym() and dlopen() of the C library, for calls by this library: those by their own names are
 * interposed (lookup.h). */
void *fm_preload_symbol(void *handle, const char *name);
void *fm_preload_open(const char *file, int flags);

/** @return a handle of a library that is loaded, to be closed; NULL: it is not */
void *fm_preload_loaded(const char *file);

/** Gives a handle back; libraries are never unloaded thereby. */
void fm_preload_close(void *handle);

#endif
