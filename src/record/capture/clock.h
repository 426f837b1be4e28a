/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The recorder's clock: the time-stamp counter where it is invariant (constant rate, same on all
 * cores) and the kernel has not found it to be unstable, else CLOCK_MONOTONIC_RAW. Timestamps are
 * ticks of that source.
 */
#ifndef FERMATA_RECORD_CAPTURE_CLOCK_H
#define FERMATA_RECORD_CAPTURE_CLOCK_H

#include "record/capture/hot.h"

#include <stdbool.h>
#include <stdint.h>

/** The clock of this process; written by fm_clock_start only. */
struct fm_clock {
    bool counter;               /**< time-stamp counter instead of CLOCK_MONOTONIC_RAW */
    bool doubted;               /**< the counter is invariant, but the kernel found it to be
                                     unstable */
    uint64_t start_ticks;       /**< first reading */
    uint64_t start_nanoseconds; /**< CLOCK_MONOTONIC_RAW at the same moment */
    uint64_t start_realtime;    /**< nanoseconds since the epoch of 1970 at the same moment */
};
extern FM_API struct fm_clock fm_clock;

/** CLOCK_MONOTONIC_RAW in nanoseconds. */
FM_API uint64_t fm_clock_nanoseconds(void);

/** Chooses the source. The two readings were taken by the preload library at the process's start
 * (0, 0: the start is now). Not thread-safe; call before the first fm_clock_now. */
void fm_clock_start(uint64_t ticks, uint64_t nanoseconds);

/** Ticks per second, measured against CLOCK_MONOTONIC_RAW from fm_clock_start until now. Waits up
 * to 10 ms if the run has been too short to measure. */
uint64_t fm_clock_resolution(void);

/** Whether a kernel with this list of clock sources trusts the time-stamp counter: the kernel
 * removes a counter that it has found to be unstable from the list. */
bool fm_clock_is_trusted(const char *sources);

/** One moment by the clock and by CLOCK_MONOTONIC_RAW. */
struct fm_clock_moment {
    uint64_t ticks;
    uint64_t nanoseconds;
    uint64_t width; /**< ticks that reading `nanoseconds` took; `ticks` is the middle */
};

/** The present moment: the reading with the smallest width of a few attempts. Thread-safe. */
struct fm_clock_moment fm_clock_moment(void);

/** Name of the source, for the user. */
const char *fm_clock_name(void);

/** A number that is equal for processes that share one clock (same boot of the same kernel, same
 * source), different otherwise. */
uint64_t fm_clock_domain(void);

/** Current time in ticks. Thread-safe, no system call. The compiler's builtin stands for __rdtsc():
 * <x86intrin.h> would take more than half of the time in which a file of the recorder compiles. */
static inline uint64_t fm_clock_now(void)
{
#if defined(__x86_64__)
    if (FM_LIKELY(fm_clock.counter)) {
        return __builtin_ia32_rdtsc();
    }
#endif
    return fm_clock_nanoseconds();
}

/** fm_clock_now behind an operation that takes a lock. The processor may read its counter while the
 * atomic operation still waits for the lock's cache line: the lock would be taken, by the clock,
 * before its last holder has released it. Takes up to 20 ns more. */
static inline uint64_t fm_clock_now_ordered(void)
{
#if defined(__x86_64__)
    if (FM_LIKELY(fm_clock.counter)) {
        __builtin_ia32_lfence();
        return __builtin_ia32_rdtsc();
    }
#endif
    return fm_clock_nanoseconds();
}

#endif
