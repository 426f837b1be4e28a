/** @file
 * Updates of counters as a library makes them that counts for all of its threads: each counter has
 * a bit that switches it on, and is changed by atomic additions. What counter_costs.h and
 * self_messages.h measure.
 */
#ifndef FERMATA_COUNTERS_COSTS_COUNTER_UPDATES_H
#define FERMATA_COUNTERS_COSTS_COUNTER_UPDATES_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/** The compiler must not keep anything in registers across this point, nor leave anything out. */
#define FM_KEEP __asm__ volatile("" ::: "memory")

/** Counters of a process, and their bins: most. */
enum { FM_UPDATED_COUNTERS = 256, FM_UPDATED_BINS = 4 };

/** The memory of a process' counters. */
struct fm_updated_counters {
    _Alignas(64) uint32_t bits[FM_UPDATED_COUNTERS / 32]; /**< on or off */
    _Alignas(64) int64_t values[FM_UPDATED_COUNTERS];
    _Alignas(64) int64_t bins[FM_UPDATED_BINS];
    int64_t rules[FM_UPDATED_BINS]; /**< the largest value of each bin but the last */
};

/** The clock that the recorder reads where it can, in its ticks. */
static inline uint64_t fm_update_ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t value;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
#endif
}

static inline bool fm_update_is_on(const struct fm_updated_counters *counters, uint32_t number)
{
    return (counters->bits[number / 32] >> (number % 32) & 1) != 0;
}

/** The function that a library calls for a counter that is on. */
static __attribute__((noinline)) void fm_update_add(struct fm_updated_counters *counters,
                                                    uint32_t number, int64_t value)
{
    __atomic_fetch_add(&counters->values[number], value, __ATOMIC_RELAXED);
}

/** Adds to a counter if it is on. */
static inline void fm_update(struct fm_updated_counters *counters, uint32_t number, int64_t value)
{
    if (__builtin_expect(fm_update_is_on(counters, number), 1)) {
        fm_update_add(counters, number, value);
    }
}

/** Adds 1 to the level of a watermark, and raises the watermark if it is on. */
static inline void fm_update_watermark(struct fm_updated_counters *counters, uint32_t level,
                                       uint32_t watermark)
{
    __atomic_fetch_add(&counters->values[level], 1, __ATOMIC_RELAXED);
    if (fm_update_is_on(counters, watermark) &&
        counters->values[level] > counters->values[watermark]) {
        counters->values[watermark] = counters->values[level];
    }
}

/** Finds the bin of a value. */
static inline void fm_update_bins(struct fm_updated_counters *counters, int bins, int64_t value)
{
    int bin = 0;
    while (bin < bins - 1 && value > counters->rules[bin]) {
        bin++;
    }
    counters->bins[bin] = bin;
}

/** @return the begin of what a timer measures; 0: it is off */
static inline uint64_t fm_update_timer_begin(const struct fm_updated_counters *counters,
                                             uint32_t number)
{
    return fm_update_is_on(counters, number) ? fm_update_ticks() : 0;
}

static inline void fm_update_timer_end(struct fm_updated_counters *counters, uint32_t number,
                                       uint64_t begin)
{
    if (fm_update_is_on(counters, number)) {
        fm_update_add(counters, number, (int64_t)(fm_update_ticks() - begin));
    }
}

#endif
