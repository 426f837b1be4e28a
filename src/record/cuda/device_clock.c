/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/cuda/device_clock.h"

enum { NANOSECONDS = 1000000000 };

static void halve(struct fm_device_clock *clock)
{
    size_t kept = 0;
    for (size_t i = 0; i < clock->count; i += 2) {
        clock->moments[kept++] = clock->moments[i];
    }
    clock->count = kept;
}

void fm_device_clock_add(struct fm_device_clock *clock, struct fm_device_moment moment)
{
    const struct fm_device_moment *last =
        clock->count > 0 ? &clock->moments[clock->count - 1] : NULL;
    if (last != NULL && moment.device < last->device && moment.ticks > last->ticks) {
        clock->count = 0;
    } else if (last != NULL && (moment.device <= last->device || moment.ticks <= last->ticks)) {
        return;
    }
    if (clock->count == FM_DEVICE_MOMENTS_MOST) {
        halve(clock);
    }
    clock->moments[clock->count++] = moment;
}

/* @return the rounded down value of `ticks` at a distance from a moment, not below 0 */
static uint64_t beside(const struct fm_device_moment *moment, __int128 distance, uint64_t ticks,
                       uint64_t nanoseconds)
{
    __int128 product = distance * ticks, quotient = product / nanoseconds;
    if (product < 0 && quotient * nanoseconds != product) {
        quotient--;
    }
    __int128 time = (__int128)moment->ticks + quotient;
    return time > 0 ? (uint64_t)time : 0;
}

uint64_t fm_device_clock_ticks(const struct fm_device_clock *clock, uint64_t device,
                               uint64_t ticks_per_second)
{
    if (clock->count == 0) {
        return 0;
    }
    if (clock->count == 1) {
        const struct fm_device_moment *only = &clock->moments[0];
        return beside(only, (__int128)device - only->device, ticks_per_second, NANOSECONDS);
    }
    size_t low = 0, high = clock->count - 1; /* the last moment that is no begin of a stretch */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (clock->moments[middle].device <= device) {
            low = middle;
        } else {
            high = middle;
        }
    }
    const struct fm_device_moment *begin = &clock->moments[low], *end = begin + 1;
    return beside(begin, (__int128)device - begin->device, end->ticks - begin->ticks,
                  end->device - begin->device);
}
