/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Heartbeats of the processes of a program that is being recorded: a process of its own notes each
 * second in their buffer files (buffers/buffer_layout.h) which of those on this node live. They
 * need no thread and no timer for that.
 */
#ifndef FERMATA_RECORD_LAUNCH_HEARTBEATS_H
#define FERMATA_RECORD_LAUNCH_HEARTBEATS_H

#include <stddef.h>
#include <sys/types.h>

/** Starts the process. It waits until the run has a directory.
 * @param directory  copies the directory to `path`, of `size` bytes; "": it is not known so far
 * @return its id; -1: errno is the reason */
pid_t fm_launch_heartbeats(void (*directory)(void *context, char *path, size_t size),
                           void *context);

/** Ends the process, when the program has ended. */
void fm_launch_heartbeats_end(pid_t process);

#endif
