/* SPDX-License-Identifier: BSD-3-Clause */
/* fermata counters sum, diff: totals of runs. */
#include "base/json/json_writer.h"
#include "cli/counters/counter_output.h"
#include "cli/text/safe_text.h"

#include <math.h>
#include <stdio.h>

/* The total of a counter in a job, found by name. @return false: the job does not have it */
static bool total_in(const struct fm_counter_job *job, const char *name, double *total)
{
    size_t i = fm_counter_job_find(job, name);
    if (i == job->count) {
        return false;
    }
    *total = fm_counter_job_spread(job, i, -1).total;
    return true;
}

/* ---- sum ---- */

/* Whether an earlier job has the counter, which is printed with the first job that has it. */
static bool is_earlier(const struct fm_counter_job *jobs, size_t job, const char *name)
{
    double nothing;
    bool found = false;
    for (size_t i = 0; !found && i < job; i++) {
        found = total_in(&jobs[i], name, &nothing);
    }
    return found;
}

static double sum_of(const struct fm_counter_job *jobs, size_t count, size_t job, size_t counter)
{
    const struct fm_job_counter *which = &jobs[job].counters[counter];
    double sum = 0, total;
    for (size_t i = job; i < count; i++) {
        if (total_in(&jobs[i], which->name, &total)) {
            bool is_better =
                i == job || (which->kind == FM_COUNTER_HIGH_WATERMARK ? total > sum : total < sum);
            bool is_extreme =
                which->kind == FM_COUNTER_HIGH_WATERMARK || which->kind == FM_COUNTER_LOW_WATERMARK;
            sum = !is_extreme ? sum + total : is_better ? total : sum;
        }
    }
    return sum;
}

static void print_sum(const struct fm_counter_request *request, struct fm_json *json,
                      const struct fm_job_counter *counter, double sum)
{
    char safe[128], text[FM_COUNTER_TEXT], plain[FM_COUNTER_PLAIN];
    fm_safe_copy(safe, sizeof safe, counter->name);
    if (request->format == FM_COUNTERS_JSON) {
        fm_json_object(json, NULL);
        fm_json_string(json, "name", counter->name);
        fm_json_string(json, "unit", counter->unit);
        fm_counters_write_number(json, "total", counter->kind, sum);
        fm_json_end(json);
    } else if (request->format == FM_COUNTERS_CSV) {
        printf("%s,%s,%s\n", safe, counter->unit, fm_counter_plain(plain, counter->kind, sum));
    } else {
        printf("%-36s %18s %s\n", safe, fm_counter_text(text, counter->kind, sum), counter->unit);
    }
}

void fm_counters_sum(const struct fm_counter_request *request, const struct fm_counter_job *jobs,
                     size_t count)
{
    struct fm_json json = fm_json_begin(stdout, FM_JSON_INDENTED);
    if (request->format == FM_COUNTERS_JSON) {
        fm_json_object(&json, NULL);
        fm_json_array(&json, "counters");
    } else if (request->format == FM_COUNTERS_CSV) {
        puts("counter,unit,total");
    }
    for (size_t job = 0; job < count; job++) {
        for (size_t i = 0; i < jobs[job].count; i++) {
            const struct fm_job_counter *counter = &jobs[job].counters[i];
            if (!fm_counter_is_asked(request, counter) || is_earlier(jobs, job, counter->name)) {
                continue;
            }
            double sum = sum_of(jobs, count, job, i);
            if (request->all || sum != 0) {
                print_sum(request, &json, counter, sum);
            }
        }
    }
    if (request->format == FM_COUNTERS_JSON) {
        fm_json_end(&json);
        fm_json_end(&json);
        putchar('\n');
    }
}

/* ---- diff ---- */

struct difference {
    const struct fm_job_counter *counter;
    double value[2];
    bool has[2];
};

/* A value as the text has it, times in microseconds: changes of digits that are not shown are none.
 */
static double shown(const struct fm_counter_request *request, enum fm_counter_kind kind,
                    double value)
{
    bool is_rounded = request->format == FM_COUNTERS_TEXT && fm_counter_is_time(kind);
    return is_rounded ? round(1e6 * value) / 1e6 : value;
}

static void print_difference_text(const struct difference *d)
{
    char safe[128], text[3][FM_COUNTER_TEXT] = {"not counted", "not counted", "-"};
    char percent[32] = "-";
    for (int i = 0; i < 2; i++) {
        if (d->has[i]) {
            fm_counter_text(text[i], d->counter->kind, d->value[i]);
        }
    }
    if (d->has[0] && d->has[1]) {
        fm_counter_text(text[2], d->counter->kind, d->value[1] - d->value[0]);
        if (d->value[0] != 0) {
            snprintf(percent, sizeof percent, "%+.1f%%",
                     100 * (d->value[1] - d->value[0]) / d->value[0]);
        }
    }
    printf("%-36s %18s %18s %18s %9s\n", fm_safe_copy(safe, sizeof safe, d->counter->name), text[0],
           text[1], text[2], percent);
}

static void write_side(struct fm_json *json, const char *key, const struct difference *d, int side)
{
    if (d->has[side]) {
        fm_counters_write_number(json, key, d->counter->kind, d->value[side]);
    } else {
        fm_json_null(json, key);
    }
}

static void print_csv_side(const struct difference *d, int side)
{
    char text[FM_COUNTER_PLAIN] = "";
    printf(",%s", d->has[side] ? fm_counter_plain(text, d->counter->kind, d->value[side]) : text);
}

static void print_difference(const struct fm_counter_request *request, struct fm_json *json,
                             const struct difference *d)
{
    char safe[128];
    if (request->format == FM_COUNTERS_JSON) {
        fm_json_object(json, NULL);
        fm_json_string(json, "name", d->counter->name);
        fm_json_string(json, "unit", d->counter->unit);
        write_side(json, "first", d, 0);
        write_side(json, "second", d, 1);
        fm_json_end(json);
    } else if (request->format == FM_COUNTERS_CSV) {
        printf("%s,%s", fm_safe_copy(safe, sizeof safe, d->counter->name), d->counter->unit);
        print_csv_side(d, 0);
        print_csv_side(d, 1);
        putchar('\n');
    } else {
        print_difference_text(d);
    }
}

void fm_counters_diff(const struct fm_counter_request *request, const struct fm_counter_job jobs[2])
{
    struct fm_json json = fm_json_begin(stdout, FM_JSON_INDENTED);
    if (request->format == FM_COUNTERS_JSON) {
        fm_json_object(&json, NULL);
        fm_json_array(&json, "counters");
    } else if (request->format == FM_COUNTERS_CSV) {
        puts("counter,unit,first,second");
    } else {
        printf("%-36s %18s %18s %18s %9s\n", "counter", "first", "second", "difference", "change");
    }
    for (int job = 0; job < 2; job++) {
        for (size_t i = 0; i < jobs[job].count; i++) {
            struct difference d = {.counter = &jobs[job].counters[i]};
            if (!fm_counter_is_asked(request, d.counter)) {
                continue;
            }
            for (int k = 0; k < 2; k++) {
                d.has[k] = total_in(&jobs[k], d.counter->name, &d.value[k]);
                d.value[k] = shown(request, d.counter->kind, d.value[k]);
            }
            bool is_other = d.value[0] != d.value[1] || d.has[0] != d.has[1];
            bool is_zero = d.value[0] == 0 && d.value[1] == 0;
            if ((job == 0 || !d.has[0]) &&
                (request->all || (is_other && !is_zero) ||
                 fm_counter_is_named(request->patterns, d.counter->name))) {
                print_difference(request, &json, &d);
            }
        }
    }
    if (request->format == FM_COUNTERS_JSON) {
        fm_json_end(&json);
        fm_json_end(&json);
        putchar('\n');
    }
}
