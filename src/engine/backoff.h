/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Waiting by polling: first by spinning, then by yielding the processor, then by sleeping with
 * exponential backoff. Most waits are short. A worker that sleeps too early delays the workers that
 * wait for it, which then sleep, too: messages that take a microsecond take a hundred.
 */
#ifndef FERMATA_ENGINE_BACKOFF_H
#define FERMATA_ENGINE_BACKOFF_H

#include <sched.h>
#include <stdbool.h>
#include <time.h>

#define FM_BACKOFF_POLLS    64 /**< polls of a microsecond or two before the first yield */
#define FM_BACKOFF_YIELDS   2000
#define FM_BACKOFF_SHORTEST 20000L  /**< nanoseconds */
#define FM_BACKOFF_LONGEST  500000L /**< nanoseconds */

/** Hints to the processor that the thread spins. */
static inline void fm_relax_processor(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#define FM_SPIN_POLLS 1000

/** Waits a moment between two polls without sleeping: threads of one process mostly wait for less
 * time than it takes to sleep and be woken.
 * @param turn  number of polls that found no work
 * @return false: the caller should sleep */
static inline bool fm_spin(unsigned turn)
{
    if (turn < FM_SPIN_POLLS) {
        fm_relax_processor();
    } else if (turn < FM_SPIN_POLLS + FM_BACKOFF_YIELDS) {
        sched_yield();
    } else {
        return false;
    }
    return true;
}

/** @return for how many nanoseconds to sleep before the next poll; 0: not at all
 * @param turn  number of polls that found no work */
static inline long fm_backoff_nanoseconds(unsigned turn)
{
    if (turn < FM_BACKOFF_YIELDS) {
        return 0;
    }
    unsigned doublings = (turn - FM_BACKOFF_YIELDS) / 16;
    return doublings < 5 ? FM_BACKOFF_SHORTEST << doublings : FM_BACKOFF_LONGEST;
}

/** Waits before the next poll: yields, then sleeps. @param turn  polls that found no work */
static inline void fm_backoff(unsigned turn)
{
    long nanoseconds = fm_backoff_nanoseconds(turn);
    if (nanoseconds == 0) {
        sched_yield();
    } else {
        nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL);
    }
}

#endif
