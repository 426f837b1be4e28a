/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The recorder's own lock. The recorder must not call pthread_mutex_lock, which it records itself
 * (record/threads). Waiting threads sleep; errno is preserved. A zeroed lock is free.
 *
 * The algorithm is the third mutex of U. Drepper, "Futexes Are Tricky" (2011).
 */
#ifndef FERMATA_RECORD_CAPTURE_LOCK_H
#define FERMATA_RECORD_CAPTURE_LOCK_H

#include "record/capture/hot.h"

#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

/** A lock. */
typedef struct {
    uint32_t state; /**< 0: free, 1: taken, 2: taken, and threads may sleep */
} fm_lock_t;

/** Initial value of a lock: it is free. */
#define FM_LOCK_FREE                                                                               \
    {                                                                                              \
        0                                                                                          \
    }

/* The system call itself: the C library's function is interposed, too, and changes errno. */
static inline void fm_lock_call(uint32_t *state, long operation, uint32_t value)
{
#if defined(__x86_64__)
    long result = SYS_futex;
    register long timeout __asm__("r10") = 0;
    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"(state), "S"(operation), "d"((long)value), "r"(timeout)
                     : "rcx", "r11", "memory");
#elif defined(__aarch64__)
    register long number __asm__("x8") = SYS_futex;
    register uint32_t *place __asm__("x0") = state;
    register long what __asm__("x1") = operation;
    register long argument __asm__("x2") = (long)value;
    register long timeout __asm__("x3") = 0;
    __asm__ volatile("svc 0"
                     : "+r"(place)
                     : "r"(number), "r"(what), "r"(argument), "r"(timeout)
                     : "memory");
#endif
}

/** Waits until the lock is free and takes it. Not recursive. */
static inline void fm_lock(fm_lock_t *lock)
{
    uint32_t state = 0;
    if (FM_LIKELY(__atomic_compare_exchange_n(&lock->state, &state, 1, 0, __ATOMIC_ACQUIRE,
                                              __ATOMIC_RELAXED))) {
        return;
    }
    while (__atomic_exchange_n(&lock->state, 2, __ATOMIC_ACQUIRE) != 0) {
        fm_lock_call(&lock->state, FUTEX_WAIT_PRIVATE, 2);
    }
}

/** Takes the lock if it is free. @return whether it was */
static inline int fm_lock_try(fm_lock_t *lock)
{
    uint32_t state = 0;
    return __atomic_compare_exchange_n(&lock->state, &state, 1, 0, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

/** Frees the lock, which the calling thread holds. */
static inline void fm_unlock(fm_lock_t *lock)
{
    if (FM_UNLIKELY(__atomic_exchange_n(&lock->state, 0, __ATOMIC_RELEASE) == 2)) {
        fm_lock_call(&lock->state, FUTEX_WAKE_PRIVATE, 1);
    }
}

#endif
