/** @file
 * How to wait for other processes: at once, then by letting others run, then by sleeping longer and
 * longer. Most waits are short, and a processor may be needed by the very process that is waited
 * for. Who sleeps too early makes the others wait, who then sleep, too: letters that take a
 * microsecond take a hundred.
 */
#ifndef FERMATA_ENGINE_PATIENCE_H
#define FERMATA_ENGINE_PATIENCE_H

#include <sched.h>
#include <stdbool.h>
#include <time.h>

#define FM_BACKOFF_POLLS    64 /**< at what needs a microsecond or two */
#define FM_BACKOFF_YIELDS   2000
#define FM_BACKOFF_SHORTEST 20000L  /**< nanoseconds */
#define FM_BACKOFF_LONGEST  500000L /**< nanoseconds */

/** Tells the processor that one looks again and again. */
static inline void fm_relax_processor(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#define FM_SPIN_POLLS 1000

/** Waits a moment before one looks again, awake: threads of one process mostly wait for less time
 * than it takes to sleep and be woken.
 * @param turn  how often one has looked in vain
 * @return false: it is time to sleep */
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

/** @return for how many nanoseconds to sleep before it is worth to look again; 0: not at all.
 * @param turn  how often one has looked in vain */
static inline long fm_backoff_nanoseconds(unsigned turn)
{
    if (turn < FM_BACKOFF_YIELDS) {
        return 0;
    }
    unsigned doublings = (turn - FM_BACKOFF_YIELDS) / 16;
    return doublings < 5 ? FM_BACKOFF_SHORTEST << doublings : FM_BACKOFF_LONGEST;
}

/** Waits before one looks again. */
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
