/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Reading files of a journal (journal.h), block by block. A file may be torn, damaged or
 * foreign: a block is returned only if its checksum is correct. It may continue in memory: what the
 * process has not written to it any more.
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
    bool torn;                 /**< the file does not end with a whole block */
    const unsigned char *rest; /**< what the file continues with, from offset `rest_at` on */
    uint64_t rest_at, rest_bytes;
    uint64_t at, end; /**< place, and end of the file with its continuation */
};

/** Opens a file. @return false: not opened, errno is the reason */
bool fm_journal_open(struct fm_journal_reader *reader, const char *path);

/** Sets what the opened file continues with: `bytes` bytes, which stay valid, from an offset of the
 * file on. Bytes that the file has, too, are read from the file. */
void fm_journal_continue(struct fm_journal_reader *reader, uint64_t offset, const void *rest,
                         uint64_t bytes);

/** Reads the next block to content, kind and bytes. @return false at the end (see `torn`) */
bool fm_journal_next(struct fm_journal_reader *reader);

void fm_journal_close(struct fm_journal_reader *reader);

/** The records in a RECORDS block.
 * @param words  receives the number of words
 * @param part   receives the begin of the block
 * @return the first record, NULL if the block is not a RECORDS block */
const uint64_t *fm_journal_block_records(const struct fm_journal_reader *reader, size_t *words,
                                         struct fm_journal_part *part);

#endif
