/** @file
 * Starting a program of ours from inside the recorded one, without a trace in it: no signal, no
 * child that its own waits could meet, no copy of its memory.
 */
#ifndef FERMATA_RECORD_STACK_HELPER_H
#define FERMATA_RECORD_STACK_HELPER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/** A file in memory for input or output, open for both; NULL: the system has none. */
FILE *fm_helper_file(const char *name);

/** Runs a program with two open files as its standard input and output, and waits for it.
 * @param path     of the program, which gets no arguments
 * @param seconds  after which it is killed
 * @return whether it ran and ended with status 0 */
bool fm_helper_run(const char *path, int input, int output, unsigned seconds);

/** CPU time of all programs that were run, in nanoseconds. */
uint64_t fm_helper_time(void);

#endif
