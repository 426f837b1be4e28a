/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The name of an MPI library in sentences.
 */
#ifndef FERMATA_RECORD_MPI_INSIDE_LIBRARY_NAME_H
#define FERMATA_RECORD_MPI_INSIDE_LIBRARY_NAME_H

#include <stddef.h>

/** Room for the name of a library. */
enum { FM_LIBRARY_NAME = 80 };

/** Writes the first words of MPI_Get_library_version, up to a comma or the end of the line, with
 * one blank between words and without "Version:": "Open MPI v4.1.4", "MPICH 4.0.2". @return name */
const char *fm_library_name(char name[FM_LIBRARY_NAME], const char *version);

/** Writes words with one blank between them.
 * @param length  of the part of `text` that is read */
void fm_library_words(char *words, size_t size, const char *text, size_t length);

#endif
