/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The threads of the process and their memory: what thread.c, chunks.c, last_records.c and
 * record/locations share. Private to them.
 */
#ifndef FERMATA_RECORD_CAPTURE_THREADS_H
#define FERMATA_RECORD_CAPTURE_THREADS_H

#include "record/capture/hot.h"
#include "record/capture/lock.h"
#include "record/capture/thread.h"

#include <pthread.h>
#include <stdatomic.h>

/** Chunks that each thread gets, whatever the memory budget. */
enum { FM_CHUNKS_AT_LEAST = 2 };

/** State of all threads. `lock` guards changes of the lists, `count` and `idle`; who takes both
 * locks takes `parts` first. */
struct fm_threads {
    fm_lock_t lock;
    fm_lock_t parts; /**< of the choice of locations for parts (fm_thread_attach_as) */
    struct fm_thread *_Atomic all; /**< first of all threads */
    struct fm_thread *idle;        /**< first of the locations whose thread has ended */
    uint32_t count;
    pthread_key_t key; /**< whose destructor runs when a thread ends */
    bool has_key;
    _Atomic long chunks_left; /**< of the memory budget */
    _Atomic bool over, reused;
    _Atomic uint64_t interval;    /**< of flushes, in ticks; UINT64_MAX: none */
    _Atomic uint32_t stack_depth; /**< 0: call stacks are not recorded */
    _Atomic uint32_t known_sites; /**< call sites that `met` was called for */
    void (*met)(void);
    bool (*flush)(struct fm_thread *thread, bool full);
    long chunks_wanted;                              /**< memory budget of all threads */
    const char *(*function_name)(uint32_t function); /**< NULL: full chunks are flushed */
};
extern FM_HIDDEN struct fm_threads fm_threads;

/** @return zeroed memory that is mapped already; NULL: there is none. */
void *fm_thread_pages(size_t bytes);

/** @return an empty chunk, outside of any budget; NULL without memory.
 * @param in_file  in the buffer file of the process */
struct fm_chunk *fm_chunk_new(bool in_file);

/** Frees a chunk, which is in no list. */
void fm_chunk_free(struct fm_chunk *chunk);

/** Takes the thread's first chunks, in the buffer file or in memory of the process; and its slot in
 * that file, which is not yet valid. @return false without memory */
bool fm_thread_take_first(struct fm_thread *thread);

/** Makes the thread's slot valid, when its number is known. */
void fm_thread_show(struct fm_thread *thread);

/** Continues the thread's records in an empty chunk. */
void fm_thread_fill(struct fm_thread *thread, struct fm_chunk *chunk);

/** Takes a chunk where only the last records are kept: a new one while the thread has less than its
 * equal part of the memory, else that of its oldest records, which are discarded. A thread that had
 * a larger part before frees one chunk for each chunk that it fills.
 * @return NULL: the oldest records are still needed, or being saved */
struct fm_chunk *fm_thread_take_from_ring(struct fm_thread *thread);

/** Sets when the thread's buffers are to be flushed next, and whether it must look for pauses. */
void fm_thread_plan_flush(struct fm_thread *thread);

/** The part of streams of accelerators, which no thread plays (fm_thread_attach_as). */
#define FM_PART_OF_STREAMS UINT64_MAX

/** @return a location of the calling thread, or of none if it is a stream; NULL without memory. */
struct fm_thread *fm_thread_new(uint64_t part);

/** Gives a location to the next thread that asks for one. Thread-safe. */
void fm_thread_make_idle(struct fm_thread *thread);

/** Makes a location that was provided (fm_thread_provide) that of the calling thread. errno is
 * preserved.
 * @return it; NULL: recording is over */
struct fm_thread *fm_thread_take_provided(struct fm_thread *thread);

/** Called when a thread ends, possibly within a call (if it was cancelled): then the call ends,
 * too. Its location becomes available, except that of the first thread.
 * @param ending  struct fm_thread */
FM_COLD void fm_thread_retire(void *ending);

#endif
