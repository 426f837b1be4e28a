/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The groups of threads in the global definitions. A paradigm of threads has a group of all
 * locations of the run, in the order of ranks and threads. The members of its other groups are
 * indices of that one, which are known only when the threads of all processes are counted. These
 * groups stand behind the groups of processes.
 */
#ifndef FERMATA_RECORD_ARCHIVE_THREAD_GROUPS_H
#define FERMATA_RECORD_ARCHIVE_THREAD_GROUPS_H

#include "record/archive/define.h"

#include <otf2/otf2.h>

/** Numbers of the groups of threads. */
struct fm_thread_groups {
    uint64_t
        *before; /**< by rank: number of locations of the ranks below it; one more than ranks */
    uint32_t ranks;
    uint32_t *numbers;       /**< by communicator: its group, if it is one of threads */
    uint32_t locations[256]; /**< by paradigm: its group of all locations; FM_DEFINE_NONE: none */
};

/** Numbers the groups of all communicators of FM_COMM_THREADS in the merged set.
 * @param first  number of the first one
 * @param groups out: to be freed with fm_thread_groups_free, also after a failure
 * @return false without memory */
bool fm_thread_groups_begin(const struct fm_definitions *set, uint32_t first,
                            struct fm_thread_groups *groups);

/** Writes the groups.
 * @param name  number of the empty string */
void fm_thread_groups_write(const struct fm_definitions *set, const struct fm_thread_groups *groups,
                            OTF2_GlobalDefWriter *writer, uint32_t name);

void fm_thread_groups_free(struct fm_thread_groups *groups);

#endif
