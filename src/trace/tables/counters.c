/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/tables/counters.h"

#include "base/containers/sort.h"

#include <math.h>

/* Least number of samples of a series, however many counters a location has. */
#define LEAST_SAMPLES 128U

/* Joins a sample and the next one.
 * @param end  end of the second sample */
static struct fm_sample join(const struct fm_sample *first, const struct fm_sample *second,
                             bool is_total, uint64_t end)
{
    struct fm_sample joined = *first;
    if (is_total)
        return joined;
    if (second->least < joined.least)
        joined.least = second->least;
    if (second->greatest > joined.greatest)
        joined.greatest = second->greatest;
    double before = (double)(second->time - first->time), after = (double)(end - second->time);
    if (end > first->time)
        joined.value = (first->value * before + second->value * after) / (before + after);
    return joined;
}

/* Joins each two neighbours. */
static void halve(fm_samples *samples, bool is_total, uint64_t end)
{
    size_t count = 0;
    for (size_t i = 0; i < samples->count; i += 2) {
        uint64_t until = i + 2 < samples->count ? samples->items[i + 2].time : end;
        samples->items[count++] =
            i + 1 < samples->count
                ? join(&samples->items[i], &samples->items[i + 1], is_total, until)
                : samples->items[i];
    }
    samples->count = count;
}

void fm_samples_thin(fm_samples *samples, bool is_total, uint64_t end, size_t most)
{
    while (samples->count > most) {
        struct fm_sample last = samples->items[samples->count - 1];
        halve(samples, is_total, end);
        /* The final value of a total is kept. */
        if (is_total && samples->items[samples->count - 1].time != last.time)
            fm_vector_push(samples, last);
        if (is_total && samples->count <= 2)
            break;
    }
}

/* Extends the latest value, if there is one, until a time. */
static void last_until(struct fm_counter_series *series, bool is_total, uint64_t time)
{
    if (series->samples.count == 0)
        return;
    struct fm_sample *sample = &series->samples.items[series->samples.count - 1];
    if (is_total || time <= sample->time)
        return;
    double before = (double)(series->last_time - sample->time);
    double after = (double)(time - series->last_time);
    sample->value = (sample->value * before + series->last_value * after) / (before + after);
}

static void add_value(struct fm_counter_series *series, bool is_total, size_t most, uint64_t time,
                      double value)
{
    fm_samples *samples = &series->samples;
    last_until(series, is_total, time);
    series->last_time = time;
    series->last_value = value;
    if (samples->count > 0 && series->in_last < series->stride) {
        struct fm_sample *sample = &samples->items[samples->count - 1];
        sample->least = value < sample->least ? value : sample->least;
        sample->greatest = value > sample->greatest ? value : sample->greatest;
        series->in_last++;
        return;
    }
    if (samples->count >= most && samples->count % 2 == 0) {
        halve(samples, is_total, time);
        series->stride *= 2;
    }
    fm_vector_push(samples, (struct fm_sample){time, value, value, value});
    series->in_last = 1;
}

static struct fm_counter_series *find(fm_counter_table *table, size_t *hint, uint32_t number)
{
    /* The counters of a metric class follow each other: the search begins behind the last one
     * found. */
    for (size_t i = 0; i < table->count; i++) {
        size_t at = (*hint + i) % table->count;
        if (table->items[at].counter == number) {
            *hint = at + 1;
            return &table->items[at];
        }
    }
    fm_vector_push(table, (struct fm_counter_series){.counter = number, .stride = 1});
    *hint = table->count;
    return &table->items[table->count - 1];
}

void fm_counters_add(fm_counter_table *table, size_t *hint, const struct fm_counter *counter,
                     uint32_t number, uint64_t time, double value)
{
    struct fm_counter_series *series = find(table, hint, number);
    value *= counter->scale;
    if (!isfinite(value))
        return;
    if (counter->is_relative)
        value = series->sum += value;
    size_t most = FM_COUNTER_SAMPLES / table->count;
    add_value(series, counter->is_total, most < LEAST_SAMPLES ? LEAST_SAMPLES : most, time, value);
}

static int compare_series(const void *left, const void *right)
{
    uint32_t a = ((const struct fm_counter_series *)left)->counter;
    uint32_t b = ((const struct fm_counter_series *)right)->counter;
    return (a > b) - (a < b);
}

void fm_counters_finish(fm_counter_table *table, const struct fm_counter *counters, uint64_t end)
{
    for (size_t i = 0; i < table->count; i++) {
        struct fm_counter_series *series = &table->items[i];
        if (counters[series->counter].is_total && series->in_last > 1)
            fm_vector_push(&series->samples,
                           (struct fm_sample){series->last_time, series->last_value,
                                              series->last_value, series->last_value});
        last_until(series, counters[series->counter].is_total, end);
        fm_vector_trim(&series->samples);
    }
    fm_sort(table->items, table->count, sizeof *table->items, compare_series);
}

void fm_counters_free(fm_counter_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        fm_vector_free(&table->items[i].samples);
    fm_vector_free(table);
}
