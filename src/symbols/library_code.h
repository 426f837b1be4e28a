/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Which shared objects are libraries that a program uses, and not part of the program: nobody who
 * makes the program faster changes their functions.
 */
#ifndef FERMATA_SYMBOLS_LIBRARY_CODE_H
#define FERMATA_SYMBOLS_LIBRARY_CODE_H

#include <libelf.h>

enum fm_library_code {
    FM_CODE_OF_PROGRAM,
    FM_CODE_OF_LIBRARY, /**< in a folder of the system; only functions without debug information */
    FM_CODE_OF_RUNTIME, /**< of a language or the system, linear algebra, FFT: all its functions */
};

/** @param elf   of the object; NULL: cannot be read
 * @param path  of the object, as it was loaded
 * @return what it is; those that are linked with MPI are the program's, wherever they are. */
enum fm_library_code fm_library_code(Elf *elf, const char *path);

#endif
