/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Checks whether the clocks of a run can be trusted. Timestamps of different processes are
 * compared, which requires three conditions: a clock keeps its rate; processes that are assumed to
 * share a clock have the same rate; and offsets between clocks, measured at begin and end, agree
 * with the rates. Each condition is checked against CLOCK_MONOTONIC_RAW or the other processes, as
 * far as the precision of the readings permits. Functions without state.
 */
#ifndef FERMATA_RECORD_CLOSING_CLOCK_CHECK_H
#define FERMATA_RECORD_CLOSING_CLOCK_CHECK_H

#include "record/archive/archive.h"
#include "record/capture/clock.h"

#include <stddef.h>

enum { FM_CLOCK_MOMENTS = 16 };

/** Moments of a process, spread over the whole run. Zeroed = empty. */
struct fm_clock_track {
    struct fm_clock_moment moments[FM_CLOCK_MOMENTS];
    uint32_t count;
};

/** Adds a moment, unless it follows the last one too closely: the spacing grows with the length of
 * the run. Not thread-safe. */
void fm_clock_track_note(struct fm_clock_track *track, struct fm_clock_moment moment);

/** Adds the last moment, regardless of the spacing. */
void fm_clock_track_end(struct fm_clock_track *track, struct fm_clock_moment moment);

/** A rate and its error. */
struct fm_clock_rate {
    double rate;  /**< ticks per second; 0: not known */
    double error; /**< maximum, relative to the rate */
};

/** The rate over the whole run. */
struct fm_clock_rate fm_clock_track_rate(const struct fm_clock_track *track);

/** Maximum difference of the rate between two successive moments from the rate over the whole run,
 * in millionths, beyond the errors of the readings. */
double fm_clock_track_change(const struct fm_clock_track *track);

/** Difference of two rates, in millionths beyond the errors. 0 if a rate is not known. */
double fm_clock_rates_differ(struct fm_clock_rate a, struct fm_clock_rate b);

/** Difference between the growth of the offset from another clock between two measurements and the
 * growth that the two rates predict, in millionths beyond the errors. On different machines it
 * includes the error of their seconds, some ten millionths. 0 if a rate is not known. */
double fm_clock_offsets_differ(const struct fm_clock_offset offsets[2], struct fm_clock_rate own,
                               struct fm_clock_rate other);

/** Converts a time to the other clock by linear interpolation between the two measurements. */
uint64_t fm_clock_offsets_apply(const struct fm_clock_offset offsets[2], uint64_t time);

/** Maximum error of a time that the offsets convert to rank 0's time, in ticks; it grows after the
 * second measurement. */
double fm_clock_offsets_error(const struct fm_clock_offset offsets[2], uint64_t time);

/** Results of the checks, the maximum over all processes. The first three in units of 10^-9. */
struct fm_clock_quality {
    uint64_t change;     /**< fm_clock_track_change */
    uint64_t difference; /**< fm_clock_rates_differ of processes that share a clock */
    uint64_t drift;      /**< fm_clock_offsets_differ of processes that do not */
    uint64_t disorder;   /**< ticks of rank 0 by which one process had left the recorder's last
                              collective operation before another one entered it */
};

/** The reason why times cannot be trusted, a sentence.
 * @param resolution  ticks per second of rank 0's clock
 * @return text, of `size` bytes; NULL: times can be trusted */
const char *fm_clock_doubt(const struct fm_clock_quality *quality, double resolution, char *text,
                           size_t size);

#endif
