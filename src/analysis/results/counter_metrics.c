/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/results/counter_metrics.h"

#include "cube/model/metric_id.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Times as counters have them. */
static const struct {
    const char *unit;
    double seconds;
} times[] = {{"s", 1}, {"sec", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};

/* @return the seconds of the unit of a counter; 0: it is no time */
static double seconds_of_unit(const char *unit)
{
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        if (strcmp(unit, times[i].unit) == 0) {
            return times[i].seconds;
        }
    }
    return 0;
}

static fm_unit_t unit_of(const struct fm_counter *counter)
{
    bool is_bytes = strcmp(counter->unit, "bytes") == 0 || strcmp(counter->unit, "B") == 0;
    return seconds_of_unit(counter->unit) > 0 ? FM_UNIT_TICKS
           : is_bytes                         ? FM_UNIT_BYTES
                                              : FM_UNIT_OCCURRENCES;
}

static fm_metric_t declare(const struct fm_counter *counter)
{
    char id[FM_METRIC_ID_SIZE], description[512];
    fm_metric_counter_id(id, counter->name);
    fm_metric_t known = fm_metric_by_id(id);
    if (known != FM_METRIC_NONE && known < FM_METRIC_USER) {
        return FM_METRIC_NONE; /* of measured computation, which other values state */
    }
    bool has_unit = counter->unit[0] != '\0';
    snprintf(description, sizeof description, "Growth of the counter %.200s%s%.100s%s.%s",
             counter->name, has_unit ? " (" : "", counter->unit, has_unit ? ")" : "",
             counter->is_apart ? " Its values belong to no call path." : "");
    return fm_metric_declare(&(struct fm_metric_info){
        .id = id,
        .parent = FM_METRIC_NONE,
        .name = counter->name,
        .unit = unit_of(counter),
        .description = description,
        .formula = counter->is_apart
                       ? "Sum of the growth between its values, at the root of the call tree."
                       : "Sum of the growth between its values, each at the call path that the "
                         "later one was recorded in.",
        .advice = ""});
}

fm_metric_t *fm_counter_metrics(const struct fm_trace *trace)
{
    fm_metric_t *metrics = fm_allocate(trace->counter_count, sizeof *metrics);
    for (uint32_t i = 0; i < trace->counter_count; i++) {
        metrics[i] = trace->counters[i].is_total ? declare(&trace->counters[i]) : FM_METRIC_NONE;
    }
    return metrics;
}

uint32_t fm_counters_left_out(const struct fm_trace *trace)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < trace->counter_count; i++) {
        char id[FM_METRIC_ID_SIZE];
        fm_metric_counter_id(id, trace->counters[i].name);
        count += trace->counters[i].is_total && fm_metric_by_id(id) == FM_METRIC_NONE;
    }
    return count;
}

int64_t fm_counter_metric_value(const struct fm_trace *trace,
                                const struct fm_counter_growth *growth)
{
    double seconds = seconds_of_unit(trace->counters[growth->counter].unit);
    double value =
        seconds > 0 ? growth->amount * seconds * (double)trace->ticks_per_second : growth->amount;
    return value < 0x1p62 ? (int64_t)floor(value + 0.5) : 0;
}
