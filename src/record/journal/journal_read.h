/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Reading files of a journal (journal.h), block by block. A file may be torn, damaged or
 * foreign: a block is returned only if its checksum is correct.
 */
#ifndef FERMATA_RECORD_JOURNAL_JOURNAL_READ_H
#define FERMATA_RECORD_JOURNAL_JOURNAL_READ_H

#include "record/journal/journal.h"

/** A file being read. */
struct fm_journal_reader {
    int file;
    void *content; /**< of the current block; 8-byte aligned */
    size_t capacity;
    enum fm_journal_kind kind;
    size_t bytes;
    bool torn; /**< the file does not end with a whole block */
};

/** Opens a file. @return false: not opened, errno is the reason */
bool fm_journal_open(struct fm_journal_reader *reader, const char *path);

/** Reads the next block to content, kind and bytes. @return false at the end (see `torn`) */
bool fm_journal_next(struct fm_journal_reader *reader);

void fm_journal_close(struct fm_journal_reader *reader);

/** The records in a RECORDS block.
 * @param words   receives the number of words
 * @param moment  receives the block's moment
 * @return the first record, NULL if the block is not a RECORDS block */
const uint64_t *fm_journal_block_records(const struct fm_journal_reader *reader, size_t *words,
                                         struct fm_journal_moment *moment);

#endif
