/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Work in a process of its own, for libraries that can crash on what they are given.
 */
#ifndef FERMATA_BASE_PROCESS_ISOLATE_H
#define FERMATA_BASE_PROCESS_ISOLATE_H

#include <stdbool.h>

/** How isolated work ended. */
struct fm_isolated {
    bool returned; /**< the work returned */
    int result;    /**< what it returned */
    int signal;    /**< that killed the child, 0: none */
    int status;    /**< exit status, if the child ended by itself without returning from the work */
};

/** Runs `work(argument)` in a child process, which has a copy of the memory and the same open
 * files; its buffered standard output is written before it ends. It is killed if this thread ends.
 * @param cpu_seconds  after which the child is killed by SIGXCPU; 0: never
 * @param quiet        its standard error is discarded
 * @return 0, or -1 with errno if there is no process or pipe to be had. */
int fm_isolate(int (*work)(void *argument), void *argument, unsigned cpu_seconds, bool quiet,
               struct fm_isolated *end);

#endif
