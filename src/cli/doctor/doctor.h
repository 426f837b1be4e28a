/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What `fermata doctor` finds out.
 */
#ifndef FERMATA_CLI_DOCTOR_DOCTOR_H
#define FERMATA_CLI_DOCTOR_DOCTOR_H

#include "cli/doctor/elf_file.h"

#include <stdbool.h>

/** Prints a finding: what was looked at, how it is; what to do if it is not good. */
enum fm_health { FM_HEALTH_GOOD, FM_HEALTH_WARNING, FM_HEALTH_BAD };
void fm_doctor_report(enum fm_health health, const char *remedy, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Prints how many problems and notes were reported. @return whether there was no problem */
bool fm_doctor_conclude(void);

/** States where buffers of recorded processes lie, and which ones were left by processes that were
 * killed. */
void fm_doctor_buffers(void);

/** Looks at a program: can the recorder be preloaded into it, is its MPI library known?
 * @param name  as in a shell: looked for in PATH unless it has a slash */
void fm_doctor_program(const char *name);

/** States which functions of MPI a program uses or defines that are not recorded. */
void fm_doctor_mpi(const char *path, const struct fm_elf *elf);

/** States whether Python functions will be shown, if the program runs the Python interpreter.
 * @param libraries  output of the dynamic linker: the libraries that the program needs; "": unknown
 * @return whether the functions of the program's file itself are not shown then */
bool fm_doctor_python(const char *path, const struct fm_elf *elf, const char *libraries);

/** States whether the program's OpenMP runtime cannot be recorded, or only in part.
 * @param libraries  as above */
void fm_doctor_openmp(const char *path, const struct fm_elf *elf, const char *libraries);

/** States whether the program is built with sanitizers, and what is not recorded then. */
void fm_doctor_sanitizers(const char *path, const struct fm_elf *elf);

/** Tells what is known of a program's functions: whether call paths lead through them, and how they
 * are named. */
void fm_doctor_symbols(const char *path, const struct fm_elf *elf);

#endif
