/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Reads and checks the definitions file of a process's journal (journal/journal.h).
 */
#ifndef FERMATA_RECORD_REBUILD_JOURNAL_LOAD_H
#define FERMATA_RECORD_REBUILD_JOURNAL_LOAD_H

#include "record/journal/journal.h"

/** A file that was loaded in the process. */
struct fm_loaded_file {
    struct fm_journal_module module;
    char *path;
};

/** Content of the definitions file of one process. */
struct fm_process_journal {
    struct fm_journal_process process;
    struct fm_recorded_region *functions; /**< by number; the names lie in `texts` */
    size_t function_count;
    struct fm_paradigm_description paradigms[FM_PARADIGMS_MOST]; /**< of those functions */
    size_t paradigm_count;
    char *texts[FM_PARADIGMS_MOST];    /**< names of the functions of each */
    struct fm_definitions sites;       /**< of call stacks */
    struct fm_definitions definitions; /**< without processes, markers and attributes */
    struct fm_thinning thinning;       /**< the iterations that the process keeps */
    struct fm_journal_object *objects;
    size_t object_count;
    struct fm_loaded_file *files; /**< that objects lie in */
    size_t file_count;
    bool saved;           /**< the process ended regularly, all records are saved */
    uint64_t saved_ticks; /**< time of that end, clock ticks; 0: unknown */
};

/** Reads the file up to its end or to the first damage; the blocks before it are used.
 * @return false: the first block, which describes the process, is invalid, or the file cannot be
 *         read; nothing is to be freed then */
bool fm_journal_load(const char *path, struct fm_process_journal *journal);

void fm_journal_unload(struct fm_process_journal *journal);

/** Whether the process still runs on this host. */
bool fm_journal_process_lives(const struct fm_journal_process *process);

#endif
