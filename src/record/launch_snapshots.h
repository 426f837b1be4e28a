/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Snapshots of the counters of a program that is being recorded: a process of its own takes them.
 */
#ifndef FERMATA_RECORD_LAUNCH_SNAPSHOTS_H
#define FERMATA_RECORD_LAUNCH_SNAPSHOTS_H

#include <sys/types.h>

/** Starts the process. It waits until the run has a directory.
 * @param directory  copies the directory to `path`, of `size` bytes; "": it is not known so far
 * @param period     seconds
 * @return its id; -1: errno is the reason */
pid_t fm_launch_snapshots(double period, void (*directory)(void *context, char *path, size_t size),
                          void *context);

/** Takes the last snapshot and ends the process, when the program has ended. */
void fm_launch_snapshots_end(pid_t process);

#endif
