/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What the threads of a program that is being recorded do at this moment, as the operating system
 * knows: whether they run, and the system call that they are blocked in. Reading it does not touch
 * them.
 */
#ifndef FERMATA_RECORD_REBUILD_LIVE_THREADS_H
#define FERMATA_RECORD_REBUILD_LIVE_THREADS_H

#include "base/containers/vector.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fm_live_thread {
    uint64_t location; /**< its ID in the archive */
    uint32_t rank;     /**< of its process */
    uint64_t enter;    /**< Enter of the recorded call that it is in, in ticks of its process's
                            clock; 0: it is in none */
    char *text;        /**< NULL: no memory; behind "now": "running", "in read of /data/mesh.bin" */
};

typedef FM_VECTOR(struct fm_live_thread) fm_live_threads;

/** Looks at all threads that record into buffer files, of the processes of an experiment that run
 * on this host. Those that cannot be looked at are left out.
 * @param threads  empty; out: ascending by location, to be freed with fm_live_threads_free(). Not
 *                 thread-safe */
void fm_live_threads_read(const char *directory, fm_live_threads *threads);

/** Describes what a thread does at this moment: "running", "in read of /data/mesh.bin", "blocked in
 * the system (pipe_read of the kernel)".
 * @param folder   of the thread in /proc
 * @param process  ID of its process, whose files are named
 * @return false: the thread is not there, or nothing is known about it */
bool fm_live_thread_describe(const char *folder, uint32_t process, char *text, size_t size);

/** @return what a location does now; NULL: not known. O(log threads) */
const char *fm_live_threads_text(const fm_live_threads *threads, uint64_t location);

void fm_live_threads_free(fm_live_threads *threads);

#endif
