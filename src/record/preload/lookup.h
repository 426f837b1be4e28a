/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Ways to a function that do not lead to the names that this library exports: they are made to.
 *
 *   dlsym of a handle       of a library: Python's ctypes, Julia. Gets this library's function
 *   dlopen, RTLD_DEEPBIND   binds the references of the object to its own libraries first. They are
 *                           changed as soon as the program looks up a function of the object
 *   PMPI_Init, _Finalize    which a tool in front of this library, or a layer in the program,
 *                           calls for MPI_Init: begin and end of the run would be missed
 *   Fortran                 fortran.h
 */
#ifndef FERMATA_RECORD_PRELOAD_LOOKUP_H
#define FERMATA_RECORD_PRELOAD_LOOKUP_H

#include <stdbool.h>
#include <stdint.h>

/** @return the function of this name that this library exports for a library of a paradigm, the C
 * library excepted; NULL: there is none */
void *fm_preload_entry(const char *name);

/** @return whether an address lies in a library of a paradigm, such as the MPI library. */
bool fm_preload_is_in_library(const void *address);

/** Called before dlopen().
 * @param flags  its second argument */
void fm_lookup_opens(int flags);

/** Called before dlsym().
 * @param handle, name  its arguments
 * @param caller        in the code that calls it
 * @return what it returns; NULL: the next dlsym() is to be called, as by the caller itself */
void *fm_lookup_symbol(void *handle, const char *name, uintptr_t caller);

/** Examines the objects that were loaded since the last call, and changes their references. Called
 * at the start of the process, and before libraries of paradigms are resolved. Thread-safe. */
void fm_lookup_see_objects(void);

#endif
