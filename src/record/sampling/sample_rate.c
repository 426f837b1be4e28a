/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/sampling/sample_rate.h"

#include "base/decimal_text.h"
#include "base/quantity.h"

#include <string.h>
#include <strings.h>

double fm_sample_rate(const char *text)
{
    uint64_t period;
    double rate;
    if (strcasecmp(text, "off") == 0) {
        return 0;
    }
    const char *unit = text[0] != '.' ? fm_decimal_read(text, &rate) : NULL;
    if (unit == NULL) {
        return -1;
    }
    if (fm_duration_read_with_unit(text, &period)) {
        rate = period > 0 ? 1e9 / (double)period : -1;
    } else if (strcasecmp(unit, "khz") == 0) {
        rate *= 1000;
    } else if (unit[0] != '\0' && strcasecmp(unit, "hz") != 0) {
        return -1;
    }
    return rate >= FM_SAMPLE_RATE_LEAST && rate <= FM_SAMPLE_RATE_MOST ? rate : -1;
}

bool fm_sample_clock_choice(const char *text, enum fm_sample_clock_choice *choice)
{
    bool is_perf = strcmp(text, "perf") == 0, is_timer = strcmp(text, "timer") == 0;
    if (is_perf || is_timer) {
        *choice = is_perf ? FM_SAMPLE_CLOCK_PERF : FM_SAMPLE_CLOCK_TIMER;
    }
    return is_perf || is_timer;
}
