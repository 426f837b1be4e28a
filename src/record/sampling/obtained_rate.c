/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/sampling/obtained_rate.h"

#include "base/decimal_text.h"

#include <stdio.h>
#include <time.h>

/* With fewer, the beginning of the first period of each thread counts. */
#define LEAST_SECONDS 1.0
#define LEAST_PERIODS 20.0

#define CLEARLY_LOWER 0.8

/* Timers that fire about as often as the system ticks: some ticks find no CPU time, and the system
 * may correct its clock. */
#define TICKS_LEAST 0.8
#define TICKS_MOST  1.1

const char *fm_sample_clock_name(bool by_perf, bool by_timers)
{
    return !by_perf    ? FM_SAMPLED_BY_TIMERS
           : by_timers ? FM_SAMPLED_BY_PERF ", " FM_SAMPLED_BY_TIMERS
                       : FM_SAMPLED_BY_PERF;
}

static double seconds(const struct fm_obtained_rate *run)
{
    return (double)run->cpu / 1e9;
}

double fm_obtained_rate(const struct fm_obtained_rate *run)
{
    return run->cpu == 0 ? 0 : (double)run->signals / seconds(run);
}

static struct fm_decimal rate_text(double rate)
{
    return fm_decimal(rate, rate < 10 ? 1 : 0);
}

static bool is_limited_by_ticks(const struct fm_obtained_rate *run, double obtained)
{
    double ticks = run->ticks;
    return run->ticks != 0 && run->asked > ticks && obtained >= TICKS_LEAST * ticks &&
           obtained <= TICKS_MOST * ticks;
}

bool fm_obtained_rate_describe(const struct fm_obtained_rate *run, char *text, size_t size)
{
    double obtained = fm_obtained_rate(run);
    if (run->asked <= 0 || seconds(run) < LEAST_SECONDS ||
        run->asked * seconds(run) < LEAST_PERIODS || obtained >= CLEARLY_LOWER * run->asked) {
        return false;
    }
    char reason[128] = "";
    if (is_limited_by_ticks(run, obtained)) {
        snprintf(reason, sizeof reason,
                 ": " FM_SAMPLED_BY_TIMERS " of this machine tick %u times a second", run->ticks);
    }
    snprintf(text, size, "sampling timers fired %s times a second of CPU time, not %s times%s",
             rate_text(obtained).text, rate_text(run->asked).text, reason);
    return true;
}

bool fm_obtained_rate_expect_less(const struct fm_obtained_rate *run, char *text, size_t size)
{
    if (run->ticks == 0 || run->asked <= run->ticks) {
        return false;
    }
    snprintf(text, size,
             "%s samples a second cannot be had: " FM_SAMPLED_BY_TIMERS
             " of this machine tick %u times a second; threads get about %u samples in a second of "
             "CPU time",
             rate_text(run->asked).text, run->ticks, run->ticks);
    return true;
}

uint32_t fm_system_ticks(void)
{
    enum { SECOND = 1000000000, SHORTEST = SECOND / 10000 };
    struct timespec tick;
    if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) != 0 || tick.tv_sec != 0 ||
        tick.tv_nsec < SHORTEST) {
        return 0;
    }
    return (uint32_t)((SECOND + tick.tv_nsec / 2) / tick.tv_nsec);
}
