/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Updates of counters as a library makes them that shares its counters between threads and switches
 * each of them on and off by a bit [D. Eberius, "Low-level metrics for MPI and GPUs" (2020),
 * section 3.9]. They are what is measured against the model (counter_costs.h). Inline, so that an
 * update costs what it would cost inside of a library; the compiler keeps nothing in registers
 * between two updates. No allocation; thread-safe but for watermarks and bins.
 */
#ifndef FERMATA_COUNTERS_COSTS_LIBRARY_UPDATES_H
#define FERMATA_COUNTERS_COSTS_LIBRARY_UPDATES_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define FM_KEEP_MEMORY __asm__ volatile("" ::: "memory")

enum { FM_LIBRARY_COUNTERS = 256, FM_LIBRARY_BINS = 64 };

/** The memory of the counters of a library. */
struct fm_library_counters {
    _Alignas(64) uint32_t bits[FM_LIBRARY_COUNTERS / 32]; /**< on or off */
    _Alignas(64) int64_t values[FM_LIBRARY_COUNTERS];
    _Alignas(64) int64_t bins[FM_LIBRARY_BINS];
    int64_t rules[FM_LIBRARY_BINS]; /**< inclusive upper bounds of the bins but for the last */
};

/** @return nanoseconds since some moment */
static inline uint64_t fm_library_nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/** @return the clock that the recorder reads where it can, ticks */
static inline uint64_t fm_library_ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t value;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
#else
    return fm_library_nanoseconds();
#endif
}

static inline bool fm_library_is_on(const struct fm_library_counters *counters, uint32_t number)
{
    return (counters->bits[number / 32] >> (number % 32) & 1) != 0;
}

/** The function that a counter that is on is updated by. */
static __attribute__((noinline, unused)) void
fm_library_record(struct fm_library_counters *counters, uint32_t number, int64_t value)
{
    __atomic_fetch_add(&counters->values[number], value, __ATOMIC_RELAXED);
}

/** O_On, or O_Off if the counter is off. */
static inline void fm_library_update(struct fm_library_counters *counters, uint32_t number,
                                     int64_t value)
{
    if (__builtin_expect(fm_library_is_on(counters, number), 1)) {
        fm_library_record(counters, number, value);
    }
}

/** O_Off: a counter that is expected to be off. */
static inline void fm_library_pass(struct fm_library_counters *counters, uint32_t number)
{
    if (__builtin_expect(fm_library_is_on(counters, number), 0)) {
        fm_library_record(counters, number, 1);
    }
}

/** O_Watermark.
 * @param sentinel   counter of the level
 * @param watermark  counter of its maximum */
static inline void fm_library_watermark(struct fm_library_counters *counters, uint32_t sentinel,
                                        uint32_t watermark)
{
    __atomic_fetch_add(&counters->values[sentinel], 1, __ATOMIC_RELAXED);
    if (fm_library_is_on(counters, watermark) &&
        counters->values[sentinel] > counters->values[watermark]) {
        counters->values[watermark] = counters->values[sentinel];
    }
}

/** O_Bin: at most `count` - 1 comparisons. */
static inline void fm_library_bin(struct fm_library_counters *counters, int count, int64_t value)
{
    int bin = 0;
    while (bin < count - 1 && value > counters->rules[bin]) {
        bin++;
    }
    counters->bins[bin] = bin;
}

/** O_Timer: begin. @return ticks; 0: the timer is off */
static inline uint64_t fm_library_timer_start(const struct fm_library_counters *counters,
                                              uint32_t number)
{
    return fm_library_is_on(counters, number) ? fm_library_ticks() : 0;
}

/** O_Timer and its O_On: end. */
static inline void fm_library_timer_stop(struct fm_library_counters *counters, uint32_t number,
                                         uint64_t begin)
{
    if (fm_library_is_on(counters, number)) {
        fm_library_record(counters, number, (int64_t)(fm_library_ticks() - begin));
    }
}

#endif
