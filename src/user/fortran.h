/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What the Fortran module (fermata.f90) calls. Texts are Fortran's: with a length, padded with
 * blanks, which do not count. `object` is a component of the module's types: NULL at first, later
 * the recorder's object.
 */
#ifndef FERMATA_USER_FORTRAN_H
#define FERMATA_USER_FORTRAN_H

#include <stddef.h>
#include <stdint.h>

/** See fermata_region_begin and fermata_region_next (`again` != 0). */
void fermata_fortran_region_begin(void **object, const char *name, size_t name_length,
                                  const char *file, size_t file_length, int line, int kind,
                                  int again);
void fermata_fortran_region_end(void **object);
void fermata_fortran_region_end_named(const char *name, size_t length);
void fermata_fortran_parameter_int(void **object, const char *name, size_t length, int64_t value);
void fermata_fortran_parameter_string(void **object, const char *name, size_t length,
                                      const char *value, size_t value_length);
void fermata_fortran_counter_int(void **object, const char *name, size_t length, const char *unit,
                                 size_t unit_length, int kind, int64_t value);
void fermata_fortran_counter_double(void **object, const char *name, size_t length,
                                    const char *unit, size_t unit_length, int kind, double value);
void fermata_fortran_marker(const char *text, size_t length);

#endif
