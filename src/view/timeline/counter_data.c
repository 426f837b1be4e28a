/* SPDX-License-Identifier: BSD-3-Clause */
#include "view/timeline/counter_data.h"

#include "view/columns.h"

#include <string.h>

/** Minimum number of values of a curve, however many curves there are. */
#define LEAST_VALUES 16U

struct columns {
    fm_column location, count, time;
    fm_column high, low, least_high, least_low, greatest_high, greatest_low;
};

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

fm_counter_list fm_counter_list_find(const struct fm_trace *trace)
{
    fm_counter_list list = {0};
    bool *occurs = fm_allocate(trace->counter_count, sizeof *occurs);
    for (uint32_t i = 0; i < trace->location_count; i++) {
        const struct fm_location *location = &trace->locations[i];
        for (size_t k = 0; k < location->counters.count; k++)
            occurs[location->counters.items[k].counter] = true;
    }
    for (uint32_t i = 0; i < trace->counter_count; i++) {
        if (occurs[i])
            fm_vector_push(&list, i);
    }
    fm_free(occurs);
    return list;
}

static const struct fm_counter_series *series_of(const struct fm_location *location,
                                                 uint32_t counter)
{
    for (size_t i = 0; i < location->counters.count; i++) {
        if (location->counters.items[i].counter == counter)
            return &location->counters.items[i];
    }
    return NULL;
}

/* The samples of a series. What a total has grown by before the first one is the first one's value:
 * the curve begins with 0 at the begin of its location, as the growth of call paths does. */
static fm_samples curve_of(const struct fm_counter_series *series, const struct fm_counter *counter,
                           uint64_t begin)
{
    fm_samples curve = {0};
    if (counter->is_since_begin && series->samples.count > 0 &&
        series->samples.items[0].time > begin)
        fm_vector_push(&curve, (struct fm_sample){.time = begin});
    for (size_t i = 0; i < series->samples.count; i++)
        fm_vector_push(&curve, series->samples.items[i]);
    return curve;
}

static void add_series(struct columns *columns, const struct fm_counter_series *series,
                       const struct fm_trace *trace, uint32_t location, uint64_t begin, size_t most)
{
    const struct fm_counter *counter = &trace->counters[series->counter];
    fm_samples thin = curve_of(series, counter, trace->locations[location].begin);
    fm_samples_thin(&thin, counter->is_total, trace->locations[location].end, most);
    for (size_t i = 0; i < thin.count; i++) {
        uint64_t value = bits_of(thin.items[i].value);
        uint64_t least = value ^ bits_of(thin.items[i].least);
        uint64_t greatest = value ^ bits_of(thin.items[i].greatest);
        fm_vector_push(&columns->time, thin.items[i].time - begin);
        fm_vector_push(&columns->high, value >> 32);
        fm_vector_push(&columns->low, value & UINT32_MAX);
        fm_vector_push(&columns->least_high, least >> 32);
        fm_vector_push(&columns->least_low, least & UINT32_MAX);
        fm_vector_push(&columns->greatest_high, greatest >> 32);
        fm_vector_push(&columns->greatest_low, greatest & UINT32_MAX);
    }
    fm_vector_push(&columns->location, location);
    fm_vector_push(&columns->count, thin.count);
    fm_vector_free(&thin);
}

static uint32_t add_counter(struct columns *columns, const struct fm_trace *trace, uint32_t counter,
                            uint64_t begin, size_t most)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < trace->location_count; i++) {
        const struct fm_counter_series *series = series_of(&trace->locations[i], counter);
        if (series == NULL)
            continue;
        add_series(columns, series, trace, i, begin, most);
        count++;
    }
    return count;
}

/** Begins the JSON object of a counter; the caller adds further members and ends it. */
static void begin_counter(struct fm_json *json, const struct fm_counter *counter)
{
    fm_json_object(json, NULL);
    fm_json_string(json, "name", counter->name);
    fm_json_string(json, "unit", counter->unit);
    fm_json_bool(json, "total", counter->is_total);
}

static size_t count_series(const struct fm_trace *trace, const fm_counter_list *counters)
{
    size_t count = 0;
    for (uint32_t i = 0; i < trace->location_count; i++) {
        for (size_t k = 0; k < counters->count; k++)
            count += series_of(&trace->locations[i], counters->items[k]) != NULL;
    }
    return count;
}

void fm_counter_data_add(struct fm_bundle *bundle, const struct fm_trace *trace,
                         const fm_counter_list *counters, uint64_t begin, size_t limit)
{
    struct columns columns = {0};
    size_t series = count_series(trace, counters);
    size_t most = series == 0 ? 0 : limit / series;
    struct fm_json *json = fm_bundle_json(bundle);
    fm_json_array(json, "counters");
    for (size_t i = 0; i < counters->count; i++) {
        uint32_t counter = counters->items[i];
        uint32_t count =
            add_counter(&columns, trace, counter, begin, most < LEAST_VALUES ? LEAST_VALUES : most);
        begin_counter(json, &trace->counters[counter]);
        fm_json_unsigned(json, "series", count);
        fm_json_end(json);
    }
    fm_json_end(json);
    fm_column_move(bundle, "counter_location", &columns.location, true);
    fm_column_move(bundle, "counter_count", &columns.count, false);
    fm_column_move(bundle, "counter_time", &columns.time, true);
    fm_column_move(bundle, "counter_high", &columns.high, false);
    fm_column_move(bundle, "counter_low", &columns.low, false);
    fm_column_move(bundle, "counter_least_high", &columns.least_high, false);
    fm_column_move(bundle, "counter_least_low", &columns.least_low, false);
    fm_column_move(bundle, "counter_greatest_high", &columns.greatest_high, false);
    fm_column_move(bundle, "counter_greatest_low", &columns.greatest_low, false);
}

void fm_counter_list_add(struct fm_bundle *bundle, const struct fm_trace *trace,
                         const fm_counter_list *counters, uint64_t first)
{
    struct fm_json *json = fm_bundle_json(bundle);
    fm_json_array(json, "counters");
    for (size_t i = 0; i < counters->count; i++) {
        begin_counter(json, &trace->counters[counters->items[i]]);
        fm_json_unsigned(json, "tile", first + i);
        fm_json_end(json);
    }
    fm_json_end(json);
}
