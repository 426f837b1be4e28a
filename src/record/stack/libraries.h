/** @file
 * Which loaded libraries belong to the recorder or to the communication library, and are none of
 * the program's own code. Most have names that no other library uses. Names that only begin like
 * the MPI library's (a program may well have a libmpisolver.so) must lie where that library lies.
 */
#ifndef FERMATA_RECORD_STACK_LIBRARIES_H
#define FERMATA_RECORD_STACK_LIBRARIES_H

#include <stdbool.h>

/** Looks for the library that defines PMPI_Init: whatever its name is, it is the MPI library.
 * Before the other functions, when it is loaded. Not async-signal-safe. */
void fm_libraries_begin(void);

/** Whether the file is one of the communication libraries. What is known of those that were asked
 * for before counts: plug-ins lie in folders of the libraries that load them. Not
 * async-signal-safe, not thread-safe. */
bool fm_library_communicates(const char *path);

/** Whether the file belongs to the C library. */
bool fm_library_is_c(const char *path);

#endif
