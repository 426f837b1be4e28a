/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The tables of a thread of a recording without a trace, in a file that survives the process:
 * EXPERIMENT/counters/tables.RANK.THREAD. From it and the journal in EXPERIMENT/counters the files
 * of calls and traffic of a process that did not reach its end are made
 * (rebuild/rebuilt_counters.h). A process that was ended may have left the last changes half done.
 */
#ifndef FERMATA_RECORD_COUNTING_CLOSING_KEPT_TABLES_H
#define FERMATA_RECORD_COUNTING_CLOSING_KEPT_TABLES_H

#include "record/counting/profile/profile.h"
#include "record/counting/traffic/peer_traffic.h"

#define FM_KEPT_TABLES_MAGIC 0x31424154544d4546u /* "FEMTTAB1" */

/** Threads of a process with such a file; the calls of further ones are lost with the process. */
enum { FM_KEPT_THREADS = 64 };

/** The file. Pointers in it are those of the process. */
struct fm_kept_tables {
    uint64_t magic;
    uint64_t bytes; /**< size of this structure */
    uint32_t rank, thread;
    struct fm_call_profile profile;
    struct fm_peer_traffic traffic;
};

/** Path of the file of a thread.
 * @param directory  of the experiment */
void fm_kept_tables_path(char *path, size_t size, const char *directory, uint32_t rank,
                         uint32_t thread);

/** Makes the file, with its whole room, and maps it.
 * @return empty tables; NULL: there is no room, or no file for this thread */
struct fm_kept_tables *fm_kept_tables_new(const char *directory, uint32_t rank, uint32_t thread);

/** Removes the files of a process; the mappings stay. */
void fm_kept_tables_remove(const char *directory, uint32_t rank);

#endif
