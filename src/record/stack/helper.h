/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Starts a program of fermata from inside the recorded program, without side effects on it: no
 * SIGCHLD, no child that its own wait calls could reap, no copy of its memory.
 */
#ifndef FERMATA_RECORD_STACK_HELPER_H
#define FERMATA_RECORD_STACK_HELPER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/** Creates a file in memory, open for reading and writing; NULL: not possible. */
FILE *fm_helper_file(const char *name);

/** Runs a program with two open files as its standard input and output, and waits for it. Its
 * standard error is discarded.
 * @param path     of the program, which gets no arguments
 * @param seconds  after which the program is killed
 * @return whether the program ran and ended with status 0 */
bool fm_helper_run(const char *path, int input, int output, unsigned seconds);

/** Total CPU time of all programs run so far, in nanoseconds. */
uint64_t fm_helper_time(void);

#endif
