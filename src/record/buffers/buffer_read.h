/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Reads the buffer file that a process has left (buffer_layout.h). The file may be damaged: what is
 * returned lies in it, but the meaning of records is not checked. Not thread-safe.
 */
#ifndef FERMATA_RECORD_BUFFERS_BUFFER_READ_H
#define FERMATA_RECORD_BUFFERS_BUFFER_READ_H

#include "record/buffers/buffer_layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Records of a thread that lie one after the other. */
struct fm_buffer_extent {
    uint64_t position; /**< words that the thread recorded before them */
    uint64_t words;
    uint64_t at; /**< offset in the file */
    uint32_t thread;
    bool is_front; /**< a struct fm_buffer_front, which begins at `at` */
};

/** An opened file. */
struct fm_buffer_reader {
    int file;
    struct fm_buffer_head head;
    struct fm_buffer_extent *extents; /**< by thread and position */
    size_t extent_count;
    uint64_t *slots; /**< for each thread that has one: number | offset in the file << 20 */
    size_t slot_count;
    uint32_t thread_count; /**< largest number of a thread that has a slot, plus 1 */
    bool is_whole;         /**< all threads have recorded to the file only */
    struct fm_buffer_site *sites;
    void *content; /**< what was read last */
    size_t room;
};

/** Opens a file.
 * @param token  that it must have; 0: any
 * @return false: there is none, or it is no buffer file with this token; nothing is to be closed */
bool fm_buffer_open(struct fm_buffer_reader *reader, const char *path, uint64_t token);

/** Closes a file. A zeroed reader, or one that was closed, is allowed. */
void fm_buffer_close(struct fm_buffer_reader *reader);

/** Reads what the journal's file of definitions continues with.
 * @param base   receives the offset in that file
 * @param bytes  receives the size
 * @return the bytes, valid until the file is closed; NULL: there are none */
const void *fm_buffer_definitions(struct fm_buffer_reader *reader, uint64_t *base, uint64_t *bytes);

/** Reads records of a thread from a position on.
 * @param count  receives the number of words
 * @return the first word, valid until the next call; NULL: the file does not have that position */
const uint64_t *fm_buffer_records(struct fm_buffer_reader *reader, uint32_t thread,
                                  uint64_t position, size_t *count);

/** Position of the first record of a thread that the file has; UINT64_MAX: it has none. */
uint64_t fm_buffer_first(const struct fm_buffer_reader *reader, uint32_t thread);

/** Reads what stands in front of the thread's records (struct fm_buffer_front).
 * @return it, valid until the next call; NULL: nothing does */
const struct fm_buffer_front *fm_buffer_front(struct fm_buffer_reader *reader, uint32_t thread);

/** Reads the call that a thread was in when the process ended.
 * @return false: the file does not have the thread */
bool fm_buffer_open_call(const struct fm_buffer_reader *reader, uint32_t thread,
                         struct fm_shown_call *open);

/** @return the thread's ID in the system of the process; 0: the file does not have the thread. */
uint32_t fm_buffer_system_id(const struct fm_buffer_reader *reader, uint32_t thread);

/** The call site with a number, if the file has it; else NULL. */
const struct fm_buffer_site *fm_buffer_site(const struct fm_buffer_reader *reader, uint64_t number);

#endif
