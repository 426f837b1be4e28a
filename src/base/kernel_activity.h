/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What is measured inside of an accelerator while a kernel runs, and the efficiencies that follow
 * from it: formulas 4.3 and 4.4 of D. Eberius, Low-level metrics for MPI and GPUs (2020), and the
 * composite (docs/gpu-imbalance.md). An archive states it as values of the counters below, each at
 * most once in the kernel's region on its stream, with the profiler's own names and units.
 */
#ifndef FERMATA_BASE_KERNEL_ACTIVITY_H
#define FERMATA_BASE_KERNEL_ACTIVITY_H

#include <stdint.h>

/** X(symbol, name of the counter, unit, value that is 1 of the fraction):
 * share of the time in which a multiprocessor has a warp, mean over all of them; threads that are
 * active in a warp's instruction, mean over the executed ones; throughput of the memory, of its
 * peak. The names are those of Nsight Compute. */
#define FM_KERNEL_ACTIVITIES(X)                                                                    \
    X(SM, "smsp__cycles_active.avg.pct_of_peak_sustained_elapsed", "%", 100)                       \
    X(WARP, "smsp__thread_inst_executed_per_inst_executed.ratio", "threads", 32)                   \
    X(MEMORY, "dram__throughput.avg.pct_of_peak_sustained_elapsed", "%", 100)

typedef enum {
#define FM_KERNEL_ACTIVITY(symbol, name, unit, whole) FM_KERNEL_##symbol,
    FM_KERNEL_ACTIVITIES(FM_KERNEL_ACTIVITY)
#undef FM_KERNEL_ACTIVITY
        FM_KERNEL_ACTIVITY_COUNT
} fm_kernel_activity_t;

/** Exponent of the composite for kernels whose use of the memory is not known. */
#define FM_COMPOSITE_EXPONENT 0.5

/** @return the activity that a counter with this name is; FM_KERNEL_ACTIVITY_COUNT: none. */
fm_kernel_activity_t fm_kernel_activity_named(const char *name);

/** @return a value of the counter as a fraction, 0..1; larger ones count as 1. NAN: it is no number
 * or negative, thus not known. */
double fm_kernel_fraction(fm_kernel_activity_t activity, double value);

/** @return the exponent of the composite: 1 - throughput of the memory, limited to 0..1.
 * @param memory  0..1; NAN: not known */
double fm_composite_exponent(double memory);

/** How the time of a kernel divides, in ticks, each part rounded to the nearest. */
struct fm_kernel_load {
    uint64_t idle;      /**< multiprocessors without a warp: ticks x (1 - SM) */
    uint64_t inactive;  /**< threads of warps: ticks x SM x (1 - warp) */
    uint64_t adjusted;  /**< the rest: formula 4.4, ticks x SM x warp */
    uint64_t composite; /**< no part: ticks x SM^b x warp^b, b = fm_composite_exponent() */
};

/** @return the load of a kernel; idle + inactive + adjusted == ticks.
 * @param fractions  [fm_kernel_activity_t]: SM and warp are known */
struct fm_kernel_load fm_kernel_load_of(uint64_t ticks, const double *fractions);

#endif
