/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * From the times of CUPTI to those of the recorder's clock, by moments that were read on both.
 * Exact integers: between two moments times are interpolated and rounded down, so that their order
 * is kept.
 */
#ifndef FERMATA_RECORD_CUDA_DEVICE_CLOCK_H
#define FERMATA_RECORD_CUDA_DEVICE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

/** A moment on both clocks. */
struct fm_device_moment {
    uint64_t device; /**< nanoseconds of CUPTI */
    uint64_t ticks;
};

enum { FM_DEVICE_MOMENTS_MOST = 512 };

/** Moments so far, ascending by both. Zeroed: none. */
struct fm_device_clock {
    struct fm_device_moment moments[FM_DEVICE_MOMENTS_MOST];
    size_t count;
};

/** Adds the present moment. One that is not behind the last one on both clocks is left out; if
 * CUPTI's clock was set back, the earlier ones are discarded. If there are too many, every second
 * one is. */
void fm_device_clock_add(struct fm_device_clock *clock, struct fm_device_moment moment);

/** @return the time on the recorder's clock, in ticks; before the first and behind the last moment
 * extrapolated; with fewer than two moments at the rate `ticks_per_second`. 0 without a moment.
 * O(log moments) */
uint64_t fm_device_clock_ticks(const struct fm_device_clock *clock, uint64_t device,
                               uint64_t ticks_per_second);

#endif
