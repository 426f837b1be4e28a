/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What the files of the journal's writer (journal.h) share. Private to src/record/journal.
 */
#ifndef FERMATA_RECORD_JOURNAL_JOURNAL_STATE_H
#define FERMATA_RECORD_JOURNAL_JOURNAL_STATE_H

#include "record/capture/hot.h"
#include "record/journal/journal.h"

#include <limits.h>
#include <sys/types.h>
#include <sys/uio.h>

/** The journal of this process. */
struct fm_journal_state {
    char directory[PATH_MAX];
    uint32_t rank;
    bool begun;
    bool writes_at_once; /**< definitions, to the file */
    pid_t process;       /**< a forked child writes nothing */
};
extern FM_HIDDEN struct fm_journal_state fm_journal_state;

/** Opens a file of the journal: of a thread, or of definitions (thread < 0). With `create` the file
 * must not exist, else it must exist: a file that was removed is not created again, because its
 * beginning would be missing. No descriptor stays open between writes: a program that closes or
 * counts its descriptors never encounters a descriptor of the recorder.
 * @return -1: errno is the reason */
int fm_journal_open_file(int64_t thread, bool create);

/** Size of an opened file. */
off_t fm_journal_end_of(int file);

/** Writes all parts, which it changes. @return false: errno is the reason */
bool fm_journal_write_all(int file, struct iovec *parts, int count);

/** Head of a block whose content has two parts; the size of the first is a multiple of 8. */
struct fm_journal_head fm_journal_head_of(enum fm_journal_kind kind, const void *first,
                                          size_t first_bytes, const void *second,
                                          size_t second_bytes);

/** Writes such a block. @return false: errno is the reason */
bool fm_journal_write_block(int file, enum fm_journal_kind kind, const void *first,
                            size_t first_bytes, const void *second, size_t second_bytes);

/** Writes functions, with their paradigms (journal_definitions.c). */
bool fm_journal_write_functions(int file, const struct fm_recorded_region *regions, size_t count);

/** Closes a file; a failed write is undone, so that the file ends with a whole block.
 * @param begin  size of the file before
 * @return `good`; false: errno is the reason */
bool fm_journal_finish(int file, off_t begin, bool good);

#endif
