/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What another program prints. */
#ifndef FERMATA_CLI_RECORDING_CHILD_OUTPUT_H
#define FERMATA_CLI_RECORDING_CHILD_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

/** Runs a child process and keeps what it prints to standard output.
 * @param become  runs in the child, with standard output set; it replaces the process by a program,
 *                and returns only if that fails
 * @param text    out: as much as there is room for, with a NUL; "" if nothing could be started
 * @param size    of `text`, bytes, at least 1
 * @return whether it ended with status 0. After a signal that is noted (base/process/interrupt.h)
 * it has 5 seconds to end by itself, and is killed then */
bool fm_child_output(void (*become)(const char *program), const char *program, char *text,
                     size_t size);

#endif
