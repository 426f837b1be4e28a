/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/closing/closing.h"

#include "record/selection/thinning.h"

#include <stdio.h>
#include <string.h>

#define WORDS(part) (sizeof(part) / sizeof(uint64_t))

/* The minimum of numbers is the complement of the maximum of their complements, so one reduction
 * suffices for both. */
struct extremes {
    struct fm_closing_least complements;
    struct fm_closing_most most;
    uint64_t entered; /* when the last process began to send its facts */
};

static struct fm_closing_least complement(struct fm_closing_least least)
{
    return (struct fm_closing_least){.begin = ~least.begin, .opening = ~least.opening};
}

/* The first reduction synchronizes the processes, so that they enter the second at about the same
 * time. Each process must leave the second reduction at a later time than the last process entered
 * it. */
void fm_closing_combine(struct fm_closing *closing, const struct fm_exchange *exchange,
                        struct fm_closing_moment (*now)(void))
{
    exchange->reduce((uint64_t *)&closing->sums, WORDS(closing->sums), FM_REDUCE_SUM);
    struct extremes all = {.complements = complement(closing->least), .most = closing->most};
    all.entered = now().earliest;
    exchange->reduce((uint64_t *)&all, WORDS(all), FM_REDUCE_MAX);
    uint64_t left = now().latest;
    closing->least = complement(all.complements);
    closing->most = all.most;
    closing->clock.disorder = all.entered > left ? all.entered - left : 0;
    exchange->reduce((uint64_t *)&closing->clock, WORDS(closing->clock), FM_REDUCE_MAX);
}

static double seconds_between(uint64_t begin, uint64_t end, double resolution)
{
    return end > begin ? (double)(end - begin) / resolution : 0;
}

/* The part of the run in which the processes' main threads had a processor or waited for none. */
static double served(const struct fm_closing_sums *sums)
{
    return sums->run_delay < sums->run ? 1 - (double)sums->run_delay / (double)sums->run : 1;
}

/* Errors of the time of events, usual and at most, and the part of the program's time that may be
 * in doubt. */
#define MEASURING_ERROR         0.05
#define LARGEST_MEASURING_ERROR 0.25
#define WRONG_REST              0.25

static double overhead(double whole, double spent)
{
    return whole > spent ? spent / (whole - spent) : 1;
}

/* Determines by how much recording makes the run longer: by the recorder's begin and end, for which
 * all processes wait, by the longest writing of buffers, and by what the thread does that records
 * most. The latter is processor time; where processors are short, the run without the recorder
 * lacks them for the same part of its time.
 *
 * The rest is the time of the program. Where work of the recorder that is not measured, work of
 * other threads that it waits for, or an error of what is measured, may be more than a quarter of
 * the rest, the slowdown would be wrong by about as much: what is stated then is the least that it
 * can be. */
void fm_closing_describe_overhead(const struct fm_closing *closing, uint64_t now,
                                  struct fm_environment *facts)
{
    double resolution = (double)facts->resolution;
    double whole = seconds_between(closing->least.begin, now, resolution);
    facts->begin_seconds = (double)closing->least.opening / 1e9;
    facts->end_seconds = seconds_between(closing->most.arrival, now, resolution);
    const double ends =
        facts->begin_seconds + facts->end_seconds + (double)closing->most.writing / 1e9;
    const double events = (double)closing->most.recording / 1e9 / served(&closing->sums);
    const double doubt =
        (double)closing->most.unmeasured / 1e9 / served(&closing->sums) + MEASURING_ERROR * events;
    const double rest = whole - events - ends;
    facts->overhead_is_least = doubt > WRONG_REST * rest;
    facts->overhead =
        overhead(whole, facts->overhead_is_least ? ends + events * (1 - LARGEST_MEASURING_ERROR)
                                                 : ends + events);
    facts->costs = closing->sums.costs;
    facts->costs.of[FM_COST_ENDS] =
        (uint64_t)(1e9 * (facts->begin_seconds + facts->end_seconds) * facts->ranks);
    facts->cpu_seconds = (double)closing->sums.work / 1e9;
    facts->memory_used = closing->most.memory;
}

void fm_closing_describe(const struct fm_closing *closing, uint64_t now,
                         struct fm_environment *facts, char *text, size_t size)
{
    const struct fm_closing_sums *sums = &closing->sums;
    size_t half = size / 2;
    if (sums->stopped != 0) {
        snprintf(text, half, "recording stopped early in %llu of %u processes: no room for more",
                 (unsigned long long)sums->stopped, facts->ranks);
        facts->incomplete = text;
    }
    if (sums->limited != 0) {
        char limit[32];
        size_t length = sums->stopped != 0 ? strlen(text) : 0;
        snprintf(text + length, half - length,
                 "%srecording paused at the size limit (max-size %s) in %llu of %u processes",
                 length != 0 ? "; " : "", fm_max_size_text(facts->max_size, limit, sizeof limit),
                 (unsigned long long)sums->limited, facts->ranks);
        facts->incomplete = text;
    }
    facts->complete = sums->stopped == 0 && sums->limited == 0;
    facts->events = sums->events;
    facts->bytes = sums->bytes;
    facts->locations = sums->locations;
    facts->flushes = sums->flushes;
    facts->samples = sums->samples;
    facts->samples_lost = sums->samples_lost;
    facts->sample_signals = sums->sample_signals;
    facts->sampled_cpu = sums->sampled_cpu;
    facts->sampling_seconds = (double)sums->sampling / 1e9;
    facts->delivery_seconds = (double)sums->delivery / 1e9;
    facts->sampled_by_perf = sums->sampled_by_perf != 0;
    facts->sampled_by_timers = sums->sampled_by_timers != 0;
    facts->functions_dropped = sums->functions_dropped;
    facts->run_seconds = (double)sums->run / 1e9;
    facts->run_delay_seconds = (double)sums->run_delay / 1e9;
    facts->clock_deviation = (double)closing->most.deviation;
    facts->clock = &closing->clock;
    facts->clock_doubt =
        fm_clock_doubt(&closing->clock, (double)facts->resolution, text + half, size - half);
    fm_closing_describe_overhead(closing, now, facts);
}
