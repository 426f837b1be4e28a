/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Correction of a location's clock by the clock offsets in its archive, with the results of OTF2's
 * reader: linear interpolation between two offsets, the last interval extrapolated. A single offset
 * corrects nothing. Private to src/trace.
 */
#ifndef FERMATA_TRACE_CLOCK_CLOCK_CORRECTION_H
#define FERMATA_TRACE_CLOCK_CLOCK_CORRECTION_H

#include "base/containers/vector.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/** The time from one offset to the next one. */
struct fm_clock_interval {
    uint64_t begin, end;
    uint64_t offset; /**< at `begin`; the bits of a signed number */
    double slope;
};

/** All zeros: no offsets. */
struct fm_clock_correction {
    FM_VECTOR(struct fm_clock_interval) intervals;
    uint64_t last_time, last_offset;
    bool has_offset;
};

/** Adds an offset. @return false if its time is not later than that of the offset before; how
 * OTF2's reader corrects then is not reproduced here */
bool fm_clock_add(struct fm_clock_correction *clock, uint64_t time, int64_t offset);

/** Corrects a time.
 * @param interval  in, out: number of the interval used last, initially 0; fast for ascending times
 * @param time      in, out
 * @return false if the correction exceeds the range of times */
static inline bool fm_clock_correct(const struct fm_clock_correction *clock, size_t *interval,
                                    uint64_t *time)
{
    const size_t count = clock->intervals.count;
    if (count == 0) {
        return true;
    }
    const struct fm_clock_interval *at = &clock->intervals.items[*interval];
    while (*time > at->end && *interval + 1 < count) {
        ++*interval;
        ++at;
    }
    double since = *time >= at->begin ? (double)(*time - at->begin) : -(double)(at->begin - *time);
    double drift = at->slope * since;
    if (!(fabs(drift) < 0x1p63)) {
        return false;
    }
    *time += at->offset + (uint64_t)llrint(drift);
    return true;
}

/** Frees the offsets; the clock then corrects nothing. */
void fm_clock_free(struct fm_clock_correction *clock);

#endif
