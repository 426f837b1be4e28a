/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The journal: the records and definitions of a process so far, on disk while the program runs.
 * Each process appends its definitions to `journal/<rank>.def` and, for each thread, the compact
 * records of full buffers to `journal/<rank>.<thread>.evt`. At the end of the run they become part
 * of the OTF2 archive and are removed. After a run without a regular end, the archive is rebuilt
 * from them.
 *
 * What a process has not written to its journal is in its buffer file (buffers/buffer_layout.h), if
 * it has one: records, and definitions as the bytes that the file of definitions continues with.
 * Definitions are there as soon as they are made.
 *
 * A file is a sequence of blocks: struct fm_journal_head, then `bytes` bytes, padded with zeros to
 * a multiple of 8. A block is valid only if its checksum is correct: a torn end is ignored. Numbers
 * are in the byte order of the machine.
 */
#ifndef FERMATA_RECORD_JOURNAL_JOURNAL_H
#define FERMATA_RECORD_JOURNAL_JOURNAL_H

#include "record/archive/archive.h"
#include "record/journal/journal_sum.h"
#include "record/selection/thinning.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define FM_JOURNAL_MAGIC 0x3131524a544d4546u /* "FEMTJR11" */

/** Kinds of blocks and their contents. */
enum fm_journal_kind {
    FM_JOURNAL_PROCESS = 1, /**< struct fm_journal_process; first block of a .def file */
    FM_JOURNAL_FUNCTIONS,   /**< for each function of the PARADIGM block before it: OTF2 role (u32),
                                 name with its zero byte; numbered on from the block before */
    FM_JOURNAL_DEFINITIONS, /**< for each kind: number of new ones, each as length and words */
    FM_JOURNAL_NAMES,       /**< { kind, number, string } (u32) of names set afterwards */
    FM_JOURNAL_RECORDS,     /**< struct fm_journal_part, then records (capture/record.h) */
    FM_JOURNAL_SAVED,       /**< struct fm_journal_moment (or nothing): the process ended regularly
                                 at that moment; the journal has all its records */
    FM_JOURNAL_SITES,       /**< call sites, like DEFINITIONS, in a separate set */
    FM_JOURNAL_PARADIGM,    /**< struct fm_paradigm_description */
    FM_JOURNAL_THINNING,    /**< struct fm_thinning so far; replaces the one of an earlier block */
    FM_JOURNAL_MODULE,      /**< struct fm_journal_module, its path with its zero byte */
    FM_JOURNAL_OBJECTS,     /**< struct fm_journal_object ..., behind their MODULE blocks */
    FM_JOURNAL_DEFINITION,  /**< kind, number, words (u32): one of the set of DEFINITIONS */
    FM_JOURNAL_SITE,        /**< the same of the set of SITES */
    FM_JOURNAL_OPEN /**< of a thread's file: the begin of a struct fm_shown_call: the call that
                         the thread is in when the process ends; without buffer file */
};

struct fm_journal_head {
    uint64_t magic;
    uint32_t kind, unused;
    uint64_t bytes;
    uint64_t checksum; /**< of kind, unused, bytes and the content (journal_sum.h) */
};

/** Maximum size of a block's content, in bytes; a reader rejects larger blocks. */
#define FM_JOURNAL_LARGEST ((uint64_t)1 << 30)

struct fm_journal_process {
    uint32_t rank, size;
    uint32_t process;    /**< process ID on the host */
    uint32_t ticks_used; /**< 0: the clock counts nanoseconds */
    uint64_t start_ticks, start_nanoseconds, start_realtime;
    struct fm_clock_offset offset;
    uint64_t ticks_per_second; /**< measured when the journal began; never 0 */
    uint32_t callpath_depth;   /**< maximum number of functions of a call path; 0: no limit */
    uint32_t callpath_whole;   /**< 1: call paths contain all support functions */
    char host[256];
    uint32_t thread_level; /**< struct fm_exchange */
    uint32_t unused;
    uint64_t buffer_token; /**< of its buffer file (fm_buffer_head.token); 0: it has none */
    char buffers[512];     /**< path of that file; "": there is none, or it is
                                journal/<rank>.buf in the experiment */
};

/** One moment in both clocks: the last moment of a journal determines the resolution of ticks. */
struct fm_journal_moment {
    uint64_t ticks, nanoseconds;
};

/** Begin of a block of records. */
struct fm_journal_part {
    struct fm_journal_moment moment;
    uint64_t position; /**< words that the thread has recorded before these; FM_JOURNAL_FRONT: the
                            words are not of the thread, but stand in front of its next ones */
};
#define FM_JOURNAL_FRONT UINT64_MAX

/** A loaded file. */
struct fm_journal_module {
    uint32_t number;
    uint32_t build_id_length; /**< 0: it has none */
    uint8_t build_id[24];
};

/** An object by which threads synchronize. */
struct fm_journal_object {
    uint32_t id;      /**< in records */
    uint32_t module;  /**< number of the file that it lies in; FM_DEFINE_NONE: in none */
    uint64_t address; /**< in the process */
    uint64_t base;    /**< of the file: address = base + address in the file */
};

/** Begins the checksum of a block with the covered words of its header. */
static inline struct fm_journal_sum fm_journal_sum_of_head(const struct fm_journal_head *head)
{
    struct fm_journal_sum sum = {0};
    fm_journal_sum_word(&sum, head->kind | (uint64_t)head->unused << 32);
    fm_journal_sum_word(&sum, head->bytes);
    return sum;
}

/** Begins the journal of this process with its facts and functions. The folder must exist.
 * @return false: not written, errno is the reason */
bool fm_journal_begin(const char *directory, const struct fm_journal_process *process,
                      const struct fm_recorded_region *regions, size_t region_count);

/** Appends functions of a paradigm that was added later. The caller holds the lock that guards the
 * table. @return false: not written, errno is the reason; true without a journal */
bool fm_journal_functions(const struct fm_recorded_region *regions, size_t region_count);

/* The functions below append definitions. Their callers hold the lock that guards the set. With a
 * buffer file the definitions are there then, and survive the process; fm_journal_flush writes them
 * to disk, too. Like all functions below, except fm_journal_name, they may be called in a signal
 * handler: they take no lock and do not use malloc. */

/** Appends the definitions that are new since the last call.
 * @return false: not written (the next call writes them again), errno is the reason */
bool fm_journal_definitions(const struct fm_definitions *set);

/** The same for the set of call sites. */
bool fm_journal_sites(const struct fm_definitions *set);

/** fm_journal_definitions or fm_journal_sites at once, where that costs little: with a buffer file,
 * or if nothing else is written. Else without effect, like in a forked child. */
void fm_journal_note_definitions(const struct fm_definitions *set);
void fm_journal_note_sites(const struct fm_definitions *set);

/** Whether definitions are to be appended as soon as they are made: there is a buffer file. */
bool fm_journal_takes_notes(void);

/** From now on fm_journal_note_definitions and fm_journal_note_sites append to the file itself: of
 * a journal without records, which nothing else writes. */
void fm_journal_write_at_once(void);

/** Writes what was appended to disk. @return false: not written, errno is the reason */
bool fm_journal_flush(void);

/** Stores the name of a communicator or window for the next fm_journal_definitions, under the same
 * lock. Uses malloc. */
void fm_journal_name(enum fm_define_kind kind, uint32_t number, uint32_t string);

/** Appends records of a thread to disk, and stores in the thread the end of the journaled records;
 * they stay in memory. The caller has claimed them (fm_thread_claim).
 * @return false: not all were written, errno is the reason */
bool fm_journal_records(struct fm_thread *thread, struct fm_extent records);

/** Appends records that are not in the thread's buffers, before the thread's next records. The
 * contract of fm_journal_records applies. */
bool fm_journal_words(struct fm_thread *thread, const uint64_t *words, size_t count);

/** Appends the call that a thread is in, if it is in one; the caller has claimed its records.
 * @return false: not written, errno is the reason */
bool fm_journal_open_call(struct fm_thread *thread);

/** Appends which iterations the process keeps. @return false: not written */
bool fm_journal_thinning(const struct fm_thinning *table);

/** Appends a file that objects lie in. @return false: not written */
bool fm_journal_module(const struct fm_journal_module *module, const char *path);

/** Appends objects. @return false: not written */
bool fm_journal_objects(const struct fm_journal_object *objects, size_t count);

/** Appends a SAVED block: the process ends regularly now. @return false: not written */
bool fm_journal_saved(void);

/** Path of a file of the journal in `directory`: the file of a thread, or with thread < 0 the file
 * of definitions. */
void fm_journal_path(char *path, size_t size, const char *directory, uint32_t rank, int64_t thread);

/** Removes the files of this process, and its buffer file. */
void fm_journal_remove(struct fm_thread *threads);

#endif
