/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The locks of OpenMP by their addresses: those of critical and ordered regions, and of the
 * program. They are numbered in the order of their first use, behind FM_OMP_LOCKS_FIRST, so that
 * their numbers differ from those of the locks of POSIX threads. A lock that is destroyed and made
 * again at the same address keeps its number.
 */
#ifndef FERMATA_RECORD_OPENMP_LOCK_TABLE_H
#define FERMATA_RECORD_OPENMP_LOCK_TABLE_H

#include "record/capture/hot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FM_OMP_LOCKS_FIRST ((uint32_t)1 << 30)

/** A lock. `acquired`, `nesting` and what follows them belong to the thread that holds it. */
struct fm_omp_lock {
    uint64_t address;
    uint32_t id;
    uint32_t acquired;           /**< number of acquisitions so far */
    uint32_t nesting;            /**< how often its owner has taken a lock that nests */
    uint32_t is_held;            /**< atomic: others read it */
    uint64_t taken_at, taken_in; /**< of an acquisition by a call that was merged with others: its
                                      time and return address; 0: it was not */
    uint32_t taken_by;           /**< fm_thread.index of that thread */
    uint32_t waiters;            /**< threads that found the lock held and wait for it; atomic */
    bool is_variable; /**< of the program; atomic. The locks of critical constructs without name and
                           of ordered constructs are none */
    bool is_reported; /**< as new */
};

/** The lock at an address. Its first look-up adds it to the table; later ones take no lock and no
 * system call. errno is preserved. O(1). @return NULL: no memory */
struct fm_omp_lock *fm_omp_lock_at(const volatile void *address);

/** Whether a thread that takes the lock now has to wait, as far as is known. */
static inline bool fm_omp_lock_is_held(const struct fm_omp_lock *lock)
{
    return lock != NULL && __atomic_load_n(&lock->is_held, __ATOMIC_RELAXED) != 0;
}

/** Notes that a thread waits for the lock, or does so no longer. NULL is allowed. */
static inline void fm_omp_lock_waits(struct fm_omp_lock *lock)
{
    if (lock != NULL) {
        __atomic_fetch_add(&lock->waiters, 1, __ATOMIC_SEQ_CST);
    }
}

static inline void fm_omp_lock_waited(struct fm_omp_lock *lock)
{
    if (lock != NULL) {
        __atomic_fetch_sub(&lock->waiters, 1, __ATOMIC_RELAXED);
    }
}

/** Whether a thread waits for the lock. */
static inline bool fm_omp_lock_is_awaited(const struct fm_omp_lock *lock)
{
    return lock != NULL && __atomic_load_n(&lock->waiters, __ATOMIC_RELAXED) != 0;
}

/** fm_omp_lock_note_variable() for the first time. */
FM_COLD void fm_omp_lock_tell_variable(struct fm_omp_lock *lock);

/** Notes that the lock is a variable of the program. The caller holds it. */
static inline void fm_omp_lock_note_variable(struct fm_omp_lock *lock)
{
    if (FM_UNLIKELY(!__atomic_load_n(&lock->is_variable, __ATOMIC_RELAXED))) {
        fm_omp_lock_tell_variable(lock);
    }
}

/** Reports the locks whose addresses are those of variables; see fm_paradigm.report_objects. */
void fm_omp_locks_report(void (*report)(void *context, uint32_t id, uint64_t address),
                         void *context, bool only_new);

#endif
