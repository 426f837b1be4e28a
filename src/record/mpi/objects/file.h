/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Files that the program has opened. A file has a communicator of its own, named like the file:
 * MPI's collective calls on a file are collective over a duplicate of the communicator that opened
 * it, in an order of their own.
 */
#ifndef FERMATA_RECORD_MPI_OBJECTS_FILE_H
#define FERMATA_RECORD_MPI_OBJECTS_FILE_H

#include "record/capture/handles.h"
#include "record/mpi/wrap.h"

/** An open file. */
struct fm_file {
    uint32_t comm;   /**< its communicator; of a file that one process has opened alone, the
                          communicator that it was opened with; FM_DEFINE_NONE without memory */
    uint32_t handle; /**< definition of kind IO_HANDLE; FM_DEFINE_NONE without memory */
    /** The split collective access that has begun: MPI allows one for each file. 0: none, or the
     * part of it is not recorded. */
    uint64_t split_collective, split_access;
};

/** Which of the threads' caches of handles has these files. */
enum { FM_FILES_CACHE = 6 };

/** Files by their handles, which are pointers in all libraries. */
extern FM_HIDDEN struct fm_handle_map fm_files;

static inline uint64_t fm_file_key(MPI_File file)
{
    return (uint64_t)(uintptr_t)file;
}

/** The file of a handle; NULL: unknown. */
static inline struct fm_file *fm_file_find(struct fm_thread *thread, MPI_File file)
{
    return fm_handles_find_in(&fm_files, FM_FILES_CACHE, thread, fm_file_key(file));
}

/** Words of the records of an access of `bytes` bytes, at its Enter and at its Leave. */
static inline size_t fm_words_access_begin(uint64_t bytes)
{
    return FM_WORDS_IO_BEGIN + fm_words_above(bytes);
}

static inline size_t fm_words_access_end(uint64_t bytes)
{
    return FM_WORDS_IO_COMPLETE + fm_words_above(bytes);
}

/** Records that an access has transferred `bytes` bytes. */
static inline uint64_t *fm_put_access_end(uint64_t *r, uint32_t handle, uint64_t bytes, uint64_t id)
{
    r = fm_put_sized(r, FM_RECORD_IO_COMPLETE, handle, bytes);
    *r = id;
    return r + 1;
}

#endif
