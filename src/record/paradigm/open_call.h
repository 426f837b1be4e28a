/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What an open call waits for: words that a wrapper writes when its call has begun, in front of the
 * library's call, for the case that the process ends in it. They are in the buffer file
 * (buffers/buffer_layout.h), not among the thread's records, and cost a few stores:
 *
 *     uint64_t *place = fm_open_begin(thread);
 *     place = ...                              // at most FM_OPEN_WORDS words
 *     fm_open_end(thread, place);
 *
 * Wrappers ask the library nothing for that: it has not accepted the arguments yet.
 */
#ifndef FERMATA_RECORD_PARADIGM_OPEN_CALL_H
#define FERMATA_RECORD_PARADIGM_OPEN_CALL_H

#include "record/capture/thread.h"
#include "record/paradigm/put.h"

/** Begins to state what the open call waits for. @return place of the first word */
static inline uint64_t *fm_open_begin(struct fm_thread *thread)
{
    return thread->shown->words;
}

/** Ends it. @param end  behind the last word */
static inline void fm_open_end(struct fm_thread *thread, const uint64_t *end)
{
    struct fm_shown_call *open = thread->shown;
    fm_signal_fence();
    __atomic_store_n(&open->call, thread->function | (uint64_t)(end - open->words) << 32,
                     __ATOMIC_RELAXED);
}

/** States a single record of one word, or of two (fm_open_id). */
static inline void fm_open_mark(struct fm_thread *thread, uint64_t header)
{
    thread->shown->words[0] = header;
    fm_open_end(thread, thread->shown->words + 1);
}

/** States a record of one word of a wait in the region that the thread has entered, between calls.
 */
static inline void fm_open_in_region(struct fm_thread *thread, uint64_t header)
{
    struct fm_shown_call *open = thread->shown;
    open->words[0] = header;
    __atomic_store_n(&open->call, FM_OPEN_REGION | (uint64_t)1 << 32, __ATOMIC_RELAXED);
    __atomic_store_n(&open->place, NULL, __ATOMIC_RELAXED);
    fm_signal_fence();
    __atomic_store_n(&open->enter, thread->enter, __ATOMIC_RELAXED);
}

static inline void fm_open_id(struct fm_thread *thread, uint64_t header, uint64_t word)
{
    thread->shown->words[0] = header;
    thread->shown->words[1] = word;
    fm_open_end(thread, thread->shown->words + 2);
}

/** A message that is awaited. @param source, tag  of the program; negative: any
 * @return the place behind the record */
static inline uint64_t *fm_put_awaited_message(uint64_t *place, uint32_t communicator, int source,
                                               int tag)
{
    place[0] = fm_record_header(FM_RECORD_AWAITED_MESSAGE, 0, communicator);
    place[1] = (uint32_t)(source >= 0 ? source : -1) | (uint64_t)(uint32_t)(tag >= 0 ? tag : -1)
                                                           << 32;
    return place + FM_WORDS_AWAITED_MESSAGE;
}

/** A collective operation whose members are awaited. @param root  negative: none */
static inline uint64_t *fm_put_awaited_collective(uint64_t *place, uint32_t communicator, int root)
{
    place[0] = fm_record_header(FM_RECORD_AWAITED_COLLECTIVE, 0, communicator);
    place[1] = (uint64_t)(int64_t)(root >= 0 ? root : -1);
    return place + FM_WORDS_AWAITED_COLLECTIVE;
}

/** States that the open call is a collective operation on windows of a communicator.
 * @param root  negative: none */
static inline void fm_open_rma_collective(struct fm_thread *thread, uint32_t communicator, int root)
{
    uint64_t *place = fm_put_mark(fm_open_begin(thread), FM_RECORD_WIN_COLLECTIVE_BEGIN, 0);
    fm_open_end(thread, fm_put_awaited_collective(place, communicator, root));
}

/** States that the open call waits for an exclusive lock of a window. */
static inline void fm_open_lock_request(struct fm_thread *thread, uint32_t window, uint32_t remote,
                                        uint64_t lock)
{
    fm_open_end(thread, fm_put_lock(fm_open_begin(thread), FM_RECORD_LOCK_REQUEST,
                                    OTF2_LOCK_EXCLUSIVE, window, remote, lock));
}

/** A thread that has the awaited lock. @param time  at which it took the lock; 0: not known
 * @param site  of that call, or FM_SITE_UNKNOWN */
static inline uint64_t *fm_put_awaited_owner(uint64_t *place, uint32_t owner, uint64_t time,
                                             uint32_t site)
{
    place[0] = fm_record_header(FM_RECORD_AWAITED_OWNER, 0, owner);
    place[1] = time;
    place[2] = site;
    return place + FM_WORDS_AWAITED_OWNER;
}

/** A target of a window that is awaited. @param target  negative: all */
static inline uint64_t *fm_put_awaited_target(uint64_t *place, uint32_t window, int target)
{
    place[0] = fm_record_header(FM_RECORD_AWAITED_TARGET, 0, window);
    place[1] = (uint64_t)(int64_t)(target >= 0 ? target : -1);
    return place + FM_WORDS_AWAITED_TARGET;
}

#endif
