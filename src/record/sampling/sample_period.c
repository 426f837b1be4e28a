/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/sampling/sample_period.h"

/* The rate never becomes lower than one sample in this time. */
static const uint64_t LONGEST = 1000000000;

/* EACH: parts of a nanosecond in the moving average, and its length in samples. OUTLIER: one sample
 * counts at most as this multiple of the average in it. REPAY: number of samples over which a cost
 * that is too high so far is made up for. */
enum { EACH = 16, OUTLIER = 4, REPAY = 64 };

/* Mean periods without an expiry after which instants are left out: a thread blocked its signals.
 */
enum { REMEMBERED = 64 };

/* The least time to the next expiry: the clock is set when the handler ends. */
static const uint64_t SOONEST = 20000;

/* Time of the program in which samples may take `cost`. */
static uint64_t affords(uint64_t cost)
{
    return cost * 1000 / FM_SAMPLE_COST_THOUSANDTHS;
}

uint64_t fm_sample_period_draw(uint64_t *random, uint64_t mean, uint64_t jitter)
{
    uint64_t x = *random;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *random = x;
    return mean - jitter + (2 * jitter * (x * UINT64_C(0x2545f4914f6cdd1d) >> 32) >> 32);
}

uint64_t fm_sample_period_mean(const struct fm_sample_period *period)
{
    return period->mean > period->tick ? period->mean : period->tick;
}

/* Whether each tick is an instant. */
static bool is_at_ticks(const struct fm_sample_period *period)
{
    return period->mean <= period->tick;
}

static uint64_t draw(struct fm_sample_period *period)
{
    uint64_t half = period->mean / 2, above = period->mean - period->tick;
    if (is_at_ticks(period)) {
        return period->mean;
    }
    return fm_sample_period_draw(&period->random, period->mean, half < above ? half : above);
}

uint64_t fm_sample_period_begin(struct fm_sample_period *period, uint64_t shortest, bool adapts,
                                uint64_t tick, uint64_t seed, uint64_t now)
{
    seed = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
    *period = (struct fm_sample_period){
        .shortest = shortest,
        .adapts = adapts,
        .tick = tick,
        .random = seed != 0 ? seed : 1,
        .mean = shortest,
        .begin = now,
        .now = now,
        .last = now,
        .each = EACH * shortest * FM_SAMPLE_COST_THOUSANDTHS / 1000,
    };
    /* Similar seeds give similar first numbers. */
    fm_sample_period_draw(&period->random, shortest, shortest / 2);
    period->next = now + fm_sample_period_draw(&period->random, shortest, shortest / 2);
    return period->next;
}

/* The last instant that has passed. */
static uint64_t pass_instants(struct fm_sample_period *period, uint64_t now, uint64_t late)
{
    uint64_t instant = period->last, passed = now > instant ? now - instant : 0;
    if (is_at_ticks(period)) {
        return now - (late < passed ? late : passed);
    }
    if (now > period->next && now - period->next > REMEMBERED * period->mean) {
        period->next = now - REMEMBERED * period->mean;
    }
    while (period->next <= now + SOONEST) { /* perf's clock is a little early now and then */
        instant = period->next;
        period->next += draw(period);
    }
    return instant;
}

uint64_t fm_sample_period_expire(struct fm_sample_period *period, uint64_t now, uint64_t late)
{
    uint64_t before = period->last, most = FM_SAMPLE_WEIGHT_PERIODS * fm_sample_period_mean(period);
    period->now = now;
    period->last = pass_instants(period, now, late);
    uint64_t passed = period->last > before ? period->last - before : 0;
    return passed < most ? passed : most;
}

static void adapt(struct fm_sample_period *period, uint64_t cost)
{
    uint64_t average = period->each / EACH;
    period->spent += cost;
    period->each += (cost < OUTLIER * average ? cost : OUTLIER * average) - average;
    uint64_t mean = affords(period->each) / EACH;
    uint64_t needed = affords(period->spent), had = period->now - period->begin;
    mean += needed > had ? (needed - had) / REPAY : 0;
    mean = mean > period->shortest ? mean : period->shortest;
    period->mean = mean < LONGEST || period->shortest > LONGEST ? mean : LONGEST;
}

uint64_t fm_sample_period_next(struct fm_sample_period *period, uint64_t cost)
{
    if (period->adapts && cost != 0) {
        adapt(period, cost);
    }
    uint64_t soonest = period->now + SOONEST;
    if (is_at_ticks(period)) {
        period->next = soonest; /* the next tick, whenever that is */
    }
    return period->next > soonest ? period->next : soonest;
}
