/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Reads and checks the definitions file of a process's journal (journal/journal.h), and opens the
 * buffer file (buffers/buffer_layout.h) that it names.
 */
#ifndef FERMATA_RECORD_REBUILD_JOURNAL_LOAD_H
#define FERMATA_RECORD_REBUILD_JOURNAL_LOAD_H

#include "record/buffers/buffer_read.h"
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
    bool has_buffers;
    struct fm_buffer_reader buffers; /**< opened, if it has them */
};

/** Reads the file of process `rank` in `directory` up to its end or to the first damage; the blocks
 * before it are used. It ends with what only the buffer file has, if that is found.
 * @return false: the first block, which describes the process, is invalid, or the file cannot be
 *         read; nothing is to be freed then */
bool fm_journal_load(const char *directory, uint32_t rank, struct fm_process_journal *journal);

/** Reads the first block only.
 * @return as fm_journal_load */
bool fm_journal_load_process(const char *directory, uint32_t rank,
                             struct fm_journal_process *process);

/** Opens the buffer file of a process. Its copy in the experiment is preferred.
 * @param path  receives the path (size bytes); may be NULL
 * @return false: it has none, or it is not found */
bool fm_journal_open_buffers(const char *directory, const struct fm_journal_process *process,
                             struct fm_buffer_reader *buffers, char *path, size_t size);

void fm_journal_unload(struct fm_process_journal *journal);

/** Whether the process still runs on this host. */
bool fm_journal_process_lives(const struct fm_journal_process *process);

#endif
