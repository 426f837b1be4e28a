/** @file
 * The definitions half of a process's journal (journal/journal.h), in memory and checked.
 */
#ifndef FERMATA_RECORD_REBUILD_JOURNAL_LOAD_H
#define FERMATA_RECORD_REBUILD_JOURNAL_LOAD_H

#include "record/journal/journal.h"

/** What one journal states about its process. */
struct fm_process_journal {
    struct fm_journal_process process;
    struct fm_recorded_region *functions; /**< by number; the names lie in `texts` */
    size_t function_count;
    struct fm_paradigm_description paradigms[FM_PARADIGMS_MOST]; /**< of those functions */
    size_t paradigm_count;
    char *texts[FM_PARADIGMS_MOST];    /**< names of the functions of each */
    struct fm_definitions sites;       /**< of call stacks */
    struct fm_definitions definitions; /**< processes and regions, which are the archive's, aside */
    bool saved;                        /**< the process ended in order; */
    uint64_t saved_ticks;              /**< when; 0: unknown */
};

/** Reads the file up to its end or to the first damage; what stands before is used.
 * @return false if it does not even state its process, or there is no memory; nothing
 *         to be freed then */
bool fm_journal_load(const char *path, struct fm_process_journal *journal);

void fm_journal_unload(struct fm_process_journal *journal);

/** Whether the process still runs on this host. */
bool fm_journal_process_lives(const struct fm_journal_process *process);

#endif
