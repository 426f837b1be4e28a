/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Functions that write records of operations into reserved room, and locks for short sections, for
 * the wrappers of all paradigms.
 */
#ifndef FERMATA_RECORD_PARADIGM_PUT_H
#define FERMATA_RECORD_PARADIGM_PUT_H

#include "record/capture/hot.h"
#include "record/capture/record.h"

#include <otf2/otf2.h>
#include <stdbool.h>

/** A lock for short sections. */
typedef unsigned char fm_spin_t;

/** Waits for the lock and takes it.
 * @param threaded  whether several threads may call the library at once; false: no action */
static inline void fm_spin_lock_if(bool threaded, fm_spin_t *lock)
{
    if (FM_UNLIKELY(threaded)) {
        while (__atomic_test_and_set(lock, __ATOMIC_ACQUIRE)) {
            while (__atomic_load_n(lock, __ATOMIC_RELAXED)) {
            }
        }
    }
}

static inline void fm_spin_unlock_if(bool threaded, fm_spin_t *lock)
{
    if (FM_UNLIKELY(threaded)) {
        __atomic_clear(lock, __ATOMIC_RELEASE);
    }
}

/** The functions below return the place behind the record. A message or a transfer needs
 * fm_words_above(bytes) words in addition to its record. */
static inline uint64_t *fm_put_sized(uint64_t *r, enum fm_record_kind kind, uint32_t ref,
                                     uint64_t bytes)
{
    if (FM_UNLIKELY(fm_words_above(bytes) != 0)) {
        *r++ = fm_record_above(bytes);
    }
    *r = fm_record_sized(kind, bytes, ref);
    return r + 1;
}

static inline uint64_t *fm_put_id(uint64_t *r, enum fm_record_kind kind, uint32_t ref, uint64_t id)
{
    r[0] = fm_record_header(kind, 0, ref);
    r[1] = id;
    return r + 2;
}

static inline uint64_t *fm_put_mark(uint64_t *r, enum fm_record_kind kind, uint32_t ref)
{
    r[0] = fm_record_header(kind, 0, ref);
    return r + 1;
}

/** An RMA_COLLECTIVE: the end of a collective operation on a window; `root` may be
 * OTF2_COLLECTIVE_ROOT_NONE, bytes are those of this process. */
static inline uint64_t *fm_put_rma_collective(uint64_t *r, OTF2_CollectiveOp operation,
                                              uint32_t window, uint32_t root, uint64_t sent,
                                              uint64_t received, OTF2_RmaSyncLevel level)
{
    r[0] = fm_record_header(FM_RECORD_RMA_COLLECTIVE, operation, window);
    r[1] = root;
    r[2] = sent;
    r[3] = received;
    r[4] = level;
    return r + FM_WORDS_RMA_COLLECTIVE;
}

/** A PUT or GET. */
static inline uint64_t *fm_put_transfer(uint64_t *r, enum fm_record_kind kind, uint32_t window,
                                        int target, uint64_t bytes, uint64_t id)
{
    r = fm_put_sized(r, kind, window, bytes);
    r[0] = (uint64_t)target;
    r[1] = id;
    return r + 2;
}

/** An ATOMIC.
 * @param type  OTF2_RmaAtomicType */
static inline uint64_t *fm_put_atomic(uint64_t *r, uint32_t type, uint32_t window, int target,
                                      uint64_t sent, uint64_t received, uint64_t id)
{
    r[0] = fm_record_header(FM_RECORD_ATOMIC, type, window);
    r[1] = (uint64_t)target;
    r[2] = sent;
    r[3] = received;
    r[4] = id;
    return r + 5;
}

/** A record of a lock: LOCK_ and its kinds.
 * @param type  OTF2_LockType */
static inline uint64_t *fm_put_lock(uint64_t *r, enum fm_record_kind kind, uint32_t type,
                                    uint32_t window, uint32_t remote, uint64_t lock)
{
    r[0] = fm_record_header(kind, type, window);
    r[1] = remote;
    r[2] = lock;
    return r + 3;
}

#endif
