/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The part of the preload library that decides whether a process is recorded before it calls a
 * function of a communication library: from its main function or its first thread on.
 */
#ifndef FERMATA_RECORD_PRELOAD_START_H
#define FERMATA_RECORD_PRELOAD_START_H

#include <stdbool.h>

/** Copies the environment, at the start of the process. */
void fm_preload_keep_variables(void);

/** @return that copy, NAME=value, ended by NULL; NULL: there is none */
char *const *fm_preload_variables(void);

/** @return the value of an environment variable now or, if the program has removed it, of the start
 * of the process; NULL: there is none */
const char *fm_preload_variable(const char *name);

/** Reports, once for all processes of a launcher and before the program starts, what of it cannot
 * be recorded. @return whether nothing can */
bool fm_preload_refuses(void);

/** Whether a function begins a thread: its first call may load the recorder. */
bool fm_preload_begins_threads(const char *function);

/** Whether this process is the one that fermata has started (FERMATA_PROCESS), and no launcher. */
bool fm_preload_is_program(void);

/** Whether a library of this name is a runtime of OpenMP. */
bool fm_preload_is_openmp(const char *soname);

/** Whether calls of POSIX threads are recorded (the setting `threads`). */
bool fm_preload_records_threads(void);

/** Whether the recorder is loaded when this process begins its first thread: threads are to be
 * recorded, and the process is the program (fm_preload_is_program()). Launchers, and tools that
 * programs and scripts start, have threads, too. Processes that have loaded a communication library
 * need not ask. */
bool fm_preload_starts_with_threads(void);

#endif
