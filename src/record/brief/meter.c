/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/brief/meter.h"

#include "record/capture/clock.h"

#include <stdbool.h>

/* The first measured sections follow each other directly. Then the mean interval is 64: intervals
 * are drawn, as sections may repeat in a pattern that a constant interval would see one part of. */
enum { FIRST = 16, SHORTEST_INTERVAL = 32, INTERVAL_BITS = 6 };

/* A longer section was interrupted, or has done something that is rare: it stands for itself.
 * Ticks: some 50 us by the counter of a processor. */
enum { LONGEST = 1 << 17 };

static struct fm_event_budget budget;
static bool has_budget; /* atomic */

void fm_meters_begin(const struct fm_event_budget *of_process)
{
    budget = *of_process;
    __atomic_store_n(&has_budget, budget.share != 0, __ATOMIC_RELEASE);
}

/* Charges the sections that a measured one stands for. */
static void charge(struct fm_meters *meters, enum fm_meter_kind kind, uint64_t now,
                   uint32_t sections, uint64_t ticks)
{
    const uint32_t bit = 1u << kind;
    if ((FM_METERS_MERGED & bit) != 0 && __atomic_load_n(&has_budget, __ATOMIC_ACQUIRE)) {
        const bool merges = (meters->over & bit) != 0;
        const bool is_over =
            fm_event_budget_take(&budget, &meters->of[kind].bucket, now, sections, ticks, merges);
        meters->over = is_over ? meters->over | bit : meters->over & ~bit;
    }
}

/* Draws the number of sections that the next measured one stands for. */
static uint32_t draw(struct fm_meter *meter)
{
    enum { WORD_BITS = 32 };
    if (meter->measured < FIRST) {
        return 1;
    }
    meter->random = meter->random * 1664525u + 1013904223u;
    return SHORTEST_INTERVAL + (meter->random >> (WORD_BITS - INTERVAL_BITS));
}

static void add(struct fm_meters *meters, enum fm_meter_kind kind, uint64_t now, uint64_t ticks,
                bool is_noted)
{
    struct fm_meter *meter = &meters->of[kind];
    const uint32_t interval = meter->interval != 0 ? meter->interval : 1;
    meter->sections += interval;
    meter->noted += is_noted ? interval : 0;
    meter->ticks += ticks < LONGEST ? ticks * interval : ticks;
    meter->measured++;
    meter->interval = draw(meter);
    meters->left[kind] = (int32_t)meter->interval - 1;
    if (ticks < LONGEST) {
        charge(meters, kind, now, interval, ticks);
    }
}

void fm_meter_open(struct fm_meters *meters, enum fm_meter_kind kind)
{
    if (meters->open != 0) {
        meters->left[kind] = 0; /* the next one is measured */
        meters->of[kind].interval++;
        return;
    }
    meters->open = (uint32_t)kind + 1;
    meters->excluded = 0;
    meters->begin = fm_clock_now();
}

void fm_meter_close(struct fm_meters *meters)
{
    const uint64_t now = fm_clock_now(), ticks = now - meters->begin, others = meters->excluded;
    const enum fm_meter_kind kind = (enum fm_meter_kind)(meters->open - 1);
    meters->open = 0;
    add(meters, kind, now, ticks > others ? ticks - others : 0, false);
}

void fm_meter_note(struct fm_meters *meters, enum fm_meter_kind kind, uint64_t begin)
{
    const uint64_t now = fm_clock_now();
    add(meters, kind, now, now - begin, true);
}

/* ---- results ---- */

/* Ticks that a section without content seems to take: the least of a few rounds, as the others were
 * disturbed.
 * @param count  a round, of SECTIONS sections */
enum { ROUNDS = 5, SECTIONS = 4096 };

static double least_of(void (*count)(struct fm_meters *meters))
{
    double least = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        struct fm_meters meters = {0};
        count(&meters);
        const struct fm_meter *meter = &meters.of[0];
        const double each = (double)meter->ticks / (double)meter->sections;
        least = each < least ? each : least;
    }
    return least;
}

static __attribute__((noinline)) void count_own(struct fm_meters *meters)
{
    for (int i = 0; i < SECTIONS; i++) {
        fm_meter_begin(meters, (enum fm_meter_kind)0);
        fm_meter_end(meters);
    }
}

static __attribute__((noinline)) void count_noted(struct fm_meters *meters)
{
    for (int i = 0; i < SECTIONS; i++) {
        fm_meter_count(meters, (enum fm_meter_kind)0, fm_clock_now());
    }
}

/* Ticks that a reading of the clock takes among others. */
static double reading_ticks(void)
{
    enum { READINGS = 64 };
    uint64_t least = UINT64_MAX;
    for (int round = 0; round < ROUNDS; round++) {
        const uint64_t begin = fm_clock_now();
        uint64_t end = begin;
        for (int i = 0; i < READINGS; i++) {
            end = fm_clock_now();
        }
        least = end - begin < least ? end - begin : least;
    }
    return (double)least / READINGS;
}

/* The reading at the begin of a noted section is the recorder's own: it is no bias. */
struct fm_meter_bias fm_meter_bias(void)
{
    struct fm_meter_bias bias = {least_of(count_own), least_of(count_noted) - reading_ticks()};
    bias.noted = bias.noted > 0 ? bias.noted : 0;
    return bias;
}

struct fm_meter_reading fm_meter_read(const struct fm_meters *meters, enum fm_meter_kind kind,
                                      struct fm_meter_bias bias)
{
    const struct fm_meter *meter = &meters->of[kind];
    if (meter->measured == 0) {
        return (struct fm_meter_reading){0, 0};
    }
    const double own = (double)(meter->sections - meter->noted) * bias.own;
    const double ticks = (double)meter->ticks - own - (double)meter->noted * bias.noted;
    const double each = ticks > 0 ? ticks / (double)meter->sections : 0;
    const int64_t rest = (int64_t)meter->interval - 1 - meters->left[kind];
    const uint64_t sections = meter->sections + (rest > 0 ? (uint64_t)rest : 0);
    return (struct fm_meter_reading){sections, (uint64_t)(each * (double)sections)};
}
