/** @file
 * The journal: what a process has measured so far, on disk while the program runs, so that it
 * outlives the process. Each process appends to `journal/<rank>.def` what its numbers mean and, for
 * each thread, to `journal/<rank>.<thread>.evt` the compact records of full buffers. At the end of
 * the run they become part of the OTF2 archive and are removed. After a run without a regular end,
 * the archive is rebuilt from them.
 *
 * A file is a sequence of blocks: struct fm_journal_head, then `bytes` bytes, padded with zeros to
 * a multiple of 8. A block counts only if its checksum is right: a torn end is left out. Numbers
 * are in the byte order of the machine.
 */
#ifndef FERMATA_RECORD_JOURNAL_JOURNAL_H
#define FERMATA_RECORD_JOURNAL_JOURNAL_H

#include "record/archive/archive.h"
#include "record/journal/journal_sum.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define FM_JOURNAL_MAGIC 0x354e524a544d4546u /* "FEMTJRN5" */

/** Kinds of blocks and their contents. */
enum fm_journal_kind {
    FM_JOURNAL_PROCESS = 1, /**< struct fm_journal_process; first block of a .def file */
    FM_JOURNAL_FUNCTIONS,   /**< for each function of the paradigm in front of it: OTF2 role (u32),
                                 name with its zero byte; numbers go on where those before end */
    FM_JOURNAL_DEFINITIONS, /**< for each kind: number of new ones, each as length and words */
    FM_JOURNAL_NAMES,       /**< { kind, number, string } (u32) of names given afterwards */
    FM_JOURNAL_RECORDS,     /**< struct fm_journal_moment, then records (capture/record.h) */
    FM_JOURNAL_SAVED,       /**< struct fm_journal_moment (or nothing): the process ended in order
                                 then; all that it recorded so far is here */
    FM_JOURNAL_SITES,       /**< call sites, as DEFINITIONS in a set of their own */
    FM_JOURNAL_PARADIGM     /**< struct fm_paradigm_description */
};

struct fm_journal_head {
    uint64_t magic;
    uint32_t kind, unused;
    uint64_t bytes;
    uint64_t checksum; /**< of kind, unused, bytes and the content (journal_sum.h) */
};

/** Largest content of a block that is written; a reader rejects larger ones. */
#define FM_JOURNAL_LARGEST ((uint64_t)1 << 30)

struct fm_journal_process {
    uint32_t rank, size;
    uint32_t process;    /**< its number on the host */
    uint32_t ticks_used; /**< 0: the clock counts nanoseconds */
    uint64_t start_ticks, start_nanoseconds, start_realtime;
    struct fm_clock_offset offset;
    uint64_t callpath_depth; /**< functions of a call path that are shown at most; 0: all */
    char host[256];
};

/** One moment in both clocks: the resolution of the ticks comes from the last one. */
struct fm_journal_moment {
    uint64_t ticks, nanoseconds;
};

/** What the checksum of a block covers before its content. */
static inline struct fm_journal_sum fm_journal_sum_of_head(const struct fm_journal_head *head)
{
    struct fm_journal_sum sum = {0};
    fm_journal_sum_word(&sum, head->kind | (uint64_t)head->unused << 32);
    fm_journal_sum_word(&sum, head->bytes);
    return sum;
}

/** Begins the journal of this process: facts and functions. The folder exists.
 * @return false: not written, errno states why */
bool fm_journal_begin(const char *directory, const struct fm_journal_process *process,
                      const struct fm_recorded_region *regions, size_t region_count);

/** Appends functions of a paradigm that was added later. The caller holds the lock that guards the
 * table. @return false: not written, errno states why */
bool fm_journal_functions(const struct fm_recorded_region *regions, size_t region_count);

/** Appends the definitions that are new since the last call. The caller holds the lock that guards
 * the set. Like all below it may be called in a signal handler: it takes no lock and does not use
 * malloc. @return false: not written (all of them are due again), errno states why */
bool fm_journal_definitions(const struct fm_definitions *set);

/** The same for the set of call sites. */
bool fm_journal_sites(const struct fm_definitions *set);

/** Notes that a communicator or window got a name, under the same lock. Uses malloc. */
void fm_journal_name(enum fm_define_kind kind, uint32_t number, uint32_t string);

/** Appends records of a thread, and notes in it how far they are in the journal; they stay in
 * memory. The caller has claimed them (fm_thread_claim).
 * @return false: not all were written, errno states why */
bool fm_journal_records(struct fm_thread *thread, struct fm_extent records);

/** Appends words of records that stand nowhere in the thread's memory, in front of those to come.
 * The same holds. */
bool fm_journal_words(struct fm_thread *thread, const uint64_t *words, size_t count);

/** Appends the mark that the process ended in order now. */
bool fm_journal_saved(void);

/** Path of a file of the journal in `directory`: of a thread, or with thread < 0 of definitions. */
void fm_journal_path(char *path, size_t size, const char *directory, uint32_t rank, int64_t thread);

/** Removes the files of this process. */
void fm_journal_remove(struct fm_thread *threads);

#endif
