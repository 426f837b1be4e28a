/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Classification of loaded libraries: those of the recorder and of the communication library are
 * not the program's own code. Most have unique names. A library whose name only begins like the MPI
 * library's (such as a program's libmpisolver.so) belongs to it only if it is in the folder of a
 * known communication library, or below.
 */
#ifndef FERMATA_RECORD_STACK_LIBRARIES_H
#define FERMATA_RECORD_STACK_LIBRARIES_H

#include <stdbool.h>

/** Finds the MPI library: the library that defines PMPI_Init, whatever its name is. Called before
 * the other functions, after that library is loaded. Not async-signal-safe. */
void fm_libraries_begin(void);

/** Whether the file belongs to the recorder, to the communication libraries, their binding for
 * Python included, to the runtime system of OpenMP, or to CUDA. The result depends
 * on earlier calls: plug-ins are recognized by the folders of the libraries that load them. Not
 * async-signal-safe, not thread-safe. */
bool fm_library_communicates(const char *path);

/** Whether the file belongs to the C library. */
bool fm_library_is_c(const char *path);

#endif
