/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/session/session_clock.h"

#include "record/closing/unify.h"
#include "record/experiment/kept_variables.h"
#include "record/session/session.h"

#include <stdlib.h>
#include <string.h>

static struct {
    struct fm_clock_offset offsets[2];
    struct fm_clock_track track;
    struct fm_clock_quality quality;
} own;

static bool is_always_measured(void)
{
    const char *text = fm_variable("FERMATA_CLOCK_EXCHANGE");
    return text != NULL && strcmp(text, "always") == 0;
}

void fm_session_clock_note(void)
{
    fm_clock_track_note(&own.track, fm_clock_moment());
}

void fm_session_clock_open(const struct fm_exchange *exchange)
{
    own.offsets[0] = fm_clock_measure(exchange, is_always_measured(), NULL);
}

static uint64_t billionths(double millionths)
{
    return (uint64_t)(1e3 * millionths);
}

void fm_session_clock_close(const struct fm_exchange *exchange)
{
    fm_lock(&fm_session.lock); /* other threads may still be writing their buffers */
    fm_clock_track_end(&own.track, fm_clock_moment());
    fm_unlock(&fm_session.lock);
    struct fm_clock_comparison rates = {.own = fm_clock_track_rate(&own.track)};
    own.offsets[1] = fm_clock_measure(exchange, is_always_measured(), &rates);
    own.quality.change = billionths(fm_clock_track_change(&own.track));
    if (rates.shared) {
        own.quality.difference = billionths(fm_clock_rates_differ(rates.own, rates.parent));
    }
    if (!rates.shared || is_always_measured()) {
        own.quality.drift = billionths(fm_clock_offsets_differ(own.offsets, rates.own, rates.top));
    }
}

const struct fm_clock_offset *fm_session_clock_offsets(void)
{
    return own.offsets;
}

struct fm_clock_quality fm_session_clock_quality(void)
{
    return own.quality;
}

uint64_t fm_session_clock_global(uint64_t time)
{
    return fm_clock_offsets_apply(own.offsets, time);
}

struct fm_closing_moment fm_session_clock_now(void)
{
    struct fm_clock_moment moment = fm_clock_moment();
    uint64_t now = fm_session_clock_global(moment.ticks);
    uint64_t error = (uint64_t)fm_clock_offsets_error(own.offsets, moment.ticks) + moment.width;
    return (struct fm_closing_moment){now - error, now + error};
}
