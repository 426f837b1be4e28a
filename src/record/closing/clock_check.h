/** @file
 * Whether the clocks of a run can be trusted. Timestamps of different processes are compared, so
 * three things have to hold: a clock keeps its rate; the clocks of processes that are taken for one
 * and the same are; and where offsets between clocks are measured, at begin and end, they fit the
 * rates. None of these is believed: each is compared with CLOCK_MONOTONIC_RAW or with the other
 * processes, as far as readings are exact enough. Functions without state.
 */
#ifndef FERMATA_RECORD_CLOSING_CLOCK_CHECK_H
#define FERMATA_RECORD_CLOSING_CLOCK_CHECK_H

#include "record/archive/archive.h"
#include "record/capture/clock.h"

#include <stddef.h>

enum { FM_CLOCK_MOMENTS = 16 };

/** Moments along the run of a process, spread over all of it. Zeroed = empty. */
struct fm_clock_track {
    struct fm_clock_moment moments[FM_CLOCK_MOMENTS];
    uint32_t count;
};

/** Notes a moment, unless it follows the last one too soon to be of use: the longer the run, the
 * farther apart they are. Not thread-safe. */
void fm_clock_track_note(struct fm_clock_track *track, struct fm_clock_moment moment);

/** Notes the last moment, in any case. */
void fm_clock_track_end(struct fm_clock_track *track, struct fm_clock_moment moment);

/** A rate and how exactly it is known. */
struct fm_clock_rate {
    double rate;  /**< ticks per second; 0: not known */
    double error; /**< at most, relative to the rate */
};

/** The rate over all of the run. */
struct fm_clock_rate fm_clock_track_rate(const struct fm_clock_track *track);

/** By how much the rate between two successive moments differs from that, at most: the part of the
 * difference, in millionths, that does not come from the readings. */
double fm_clock_track_change(const struct fm_clock_track *track);

/** By how much two rates differ, in the same way. 0 if one is not known. */
double fm_clock_rates_differ(struct fm_clock_rate a, struct fm_clock_rate b);

/** By how much the offset from another clock grew between two measurements, against what the rates
 * of both say, in the same way. On different machines this has the error of their idea of a second,
 * some ten millionths, in it. 0 if a rate is not known. */
double fm_clock_offsets_differ(const struct fm_clock_offset offsets[2], struct fm_clock_rate own,
                               struct fm_clock_rate other);

/** A time in the other clock, by interpolation between the two measurements. */
uint64_t fm_clock_offsets_apply(const struct fm_clock_offset offsets[2], uint64_t time);

/** How wrong a time that the offsets turn into rank 0's may be, in ticks; behind the second
 * measurement more and more so. */
double fm_clock_offsets_error(const struct fm_clock_offset offsets[2], uint64_t time);

/** What was found out, the worst of all processes. The first three in 10^-9. */
struct fm_clock_quality {
    uint64_t change;     /**< fm_clock_track_change */
    uint64_t difference; /**< of rates of processes that have one clock */
    uint64_t drift;      /**< fm_clock_offsets_differ of those that do not */
    uint64_t disorder;   /**< ticks of rank 0 by which one process had left the recorder's last
                              collective operation before another one entered it */
};

/** Why times cannot be trusted, a sentence.
 * @param resolution  ticks per second of rank 0's clock
 * @return text, of `size` bytes; NULL: they can */
const char *fm_clock_doubt(const struct fm_clock_quality *quality, double resolution, char *text,
                           size_t size);

#endif
