/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/closing/clock_check.h"

#include "base/decimal_text.h"

#include <math.h>
#include <stdio.h>

/* Millionths. Rates of a shared clock differ by less than one millionth, the seconds of different
 * machines by some ten; kernels synchronized by network may slew virtual clocks by 500. */
static const double most_change = 50, most_difference = 50, most_drift = 500;

/* ---- one process ---- */

/* Keeps every second moment, including the first and the last. */
static void thin_out(struct fm_clock_track *track)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < track->count; i += 2) {
        track->moments[kept++] = track->moments[i];
    }
    track->moments[kept - 1] = track->moments[track->count - 1];
    track->count = kept;
}

static void append(struct fm_clock_track *track, struct fm_clock_moment moment)
{
    if (track->count == FM_CLOCK_MOMENTS) {
        thin_out(track);
    }
    track->moments[track->count++] = moment;
}

void fm_clock_track_note(struct fm_clock_track *track, struct fm_clock_moment moment)
{
    if (track->count > 1) {
        const struct fm_clock_moment *first = track->moments, *last = first + track->count - 1;
        uint64_t spacing = (last->nanoseconds - first->nanoseconds) / FM_CLOCK_MOMENTS;
        if (moment.nanoseconds - last->nanoseconds < spacing) {
            return;
        }
    }
    append(track, moment);
}

void fm_clock_track_end(struct fm_clock_track *track, struct fm_clock_moment moment)
{
    append(track, moment);
}

static struct fm_clock_rate rate_between(const struct fm_clock_moment *a,
                                         const struct fm_clock_moment *b)
{
    int64_t ticks = (int64_t)(b->ticks - a->ticks);
    int64_t nanoseconds = (int64_t)(b->nanoseconds - a->nanoseconds);
    if (ticks <= 0 || nanoseconds <= 0) {
        return (struct fm_clock_rate){0};
    }
    return (struct fm_clock_rate){.rate = (double)ticks / (double)nanoseconds * 1e9,
                                  .error = (double)(a->width + b->width) / 2 / (double)ticks +
                                           1 / (double)nanoseconds};
}

struct fm_clock_rate fm_clock_track_rate(const struct fm_clock_track *track)
{
    return track->count > 1 ? rate_between(&track->moments[0], &track->moments[track->count - 1])
                            : (struct fm_clock_rate){0};
}

/* The part of a difference beyond the errors, in millionths. */
static double beyond(double difference, double error)
{
    double rest = fabs(difference) - error;
    return rest > 0 ? rest * 1e6 : 0;
}

double fm_clock_rates_differ(struct fm_clock_rate a, struct fm_clock_rate b)
{
    return a.rate > 0 && b.rate > 0 ? beyond(a.rate / b.rate - 1, a.error + b.error) : 0;
}

double fm_clock_track_change(const struct fm_clock_track *track)
{
    struct fm_clock_rate whole = fm_clock_track_rate(track);
    double most = 0;
    for (uint32_t i = 1; i < track->count; i++) {
        struct fm_clock_rate part = rate_between(&track->moments[i - 1], &track->moments[i]);
        double change = fm_clock_rates_differ(part, whole);
        most = change > most ? change : most;
    }
    return most;
}

double fm_clock_offsets_differ(const struct fm_clock_offset offsets[2], struct fm_clock_rate own,
                               struct fm_clock_rate other)
{
    double ticks = (double)(int64_t)(offsets[1].time - offsets[0].time);
    if (ticks <= 0 || own.rate <= 0 || other.rate <= 0) {
        return 0;
    }
    double measured = 1 + (double)(offsets[1].offset - offsets[0].offset) / ticks;
    double error = (offsets[0].deviation + offsets[1].deviation) / ticks;
    return beyond(measured / (other.rate / own.rate) - 1, error + own.error + other.error);
}

uint64_t fm_clock_offsets_apply(const struct fm_clock_offset offsets[2], uint64_t time)
{
    const struct fm_clock_offset *a = &offsets[0], *b = &offsets[1];
    if (b->time == a->time) {
        return time + (uint64_t)a->offset;
    }
    long double slope = (long double)(b->offset - a->offset) / (long double)(b->time - a->time);
    long double since = (long double)(int64_t)(time - a->time);
    return time + (uint64_t)(a->offset + (int64_t)(slope * since));
}

double fm_clock_offsets_error(const struct fm_clock_offset offsets[2], uint64_t time)
{
    double both = offsets[0].deviation + offsets[1].deviation;
    double ticks = (double)(int64_t)(offsets[1].time - offsets[0].time);
    double behind = (double)(int64_t)(time - offsets[1].time);
    return both + (behind > 0 && ticks > 0 ? both * behind / ticks : 0);
}

/* ---- all processes ---- */

const char *fm_clock_doubt(const struct fm_clock_quality *quality, double resolution, char *text,
                           size_t size)
{
    double change = (double)quality->change / 1e3, difference = (double)quality->difference / 1e3;
    double drift = (double)quality->drift / 1e3;
    if (quality->disorder > 0) {
        snprintf(text, size,
                 "by their clocks one process left a collective operation %s us before another "
                 "one entered it",
                 fm_decimal((double)quality->disorder / resolution * 1e6, 1).text);
    } else if (difference > most_difference) {
        snprintf(text, size,
                 "clocks of processes on one node run at rates that differ by %s millionths",
                 fm_decimal_short(difference, 3).text);
    } else if (drift > most_drift) {
        snprintf(text, size,
                 "a clock drifted from that of rank 0 by %s millionths more than their rates say",
                 fm_decimal_short(drift, 3).text);
    } else if (change > most_change) {
        snprintf(text, size, "the rate of a clock changed by %s millionths during the run",
                 fm_decimal_short(change, 3).text);
    } else {
        return NULL;
    }
    return text;
}
