/* SPDX-License-Identifier: BSD-3-Clause */
/* fermata top: what the ranks of a running program are doing, a row for each, period by period. */
#include "cli/counters/counter_kernel_rates.h"
#include "cli/counters/counter_output.h"
#include "cli/counters/counter_pace.h"
#include "cli/hang/hang_watch.h"
#include "cli/text/safe_text.h"

#include <stdio.h>
#include <string.h>

enum { LINES_OF_HEADING = 5 };

/* What a rank has done in a period. */
struct activity {
    double calls, in_calls, messages, sent, received, collectives, operations;
    const char *longest; /* function with the most time; NULL: none was called */
    double longest_time;
};

static bool has_prefix(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* Whether the rest behind the model's name is this one: "mpi.puts". */
static bool is_of_model(const char *name, const char *rest)
{
    const char *point = strchr(name, '.');
    return point != NULL && strcmp(point + 1, rest) == 0;
}

static void add(struct activity *a, const char *name, double change)
{
    if (has_prefix(name, FM_COUNTER_CALLS)) {
        a->calls += change;
    } else if (has_prefix(name, FM_COUNTER_TIME)) {
        a->in_calls += change;
        if (change > a->longest_time) {
            a->longest_time = change;
            a->longest = name + strlen(FM_COUNTER_TIME);
        }
    } else if (strcmp(name, "mpi.messages_sent") == 0) {
        a->messages += change;
    } else if (strcmp(name, "mpi.bytes_sent") == 0 || is_of_model(name, "bytes_put")) {
        a->sent += change;
    } else if (strcmp(name, "mpi.bytes_received") == 0 || is_of_model(name, "bytes_got")) {
        a->received += change;
    } else if (is_of_model(name, "collectives")) {
        a->collectives += change;
    } else if (is_of_model(name, "puts") || is_of_model(name, "gets") ||
               is_of_model(name, "atomics")) {
        a->operations += change;
    }
}

static struct activity activity_of(const struct fm_counter_pace *pace,
                                   const struct fm_counter_job *job, size_t rank)
{
    struct activity a = {0};
    for (size_t i = 0; i < fermata_counters_number(job->files[rank]); i++) {
        double change = fm_counter_pace_change_in(pace, job, rank, i);
        if (change > 0) {
            add(&a, fermata_counters_info(job->files[rank], i)->name, change);
        }
    }
    return a;
}

/* A rate, or a dash if it is not known. */
static const char *rate(char text[FM_COUNTER_TEXT], double value)
{
    if (value < 0) {
        return "-";
    }
    snprintf(text, FM_COUNTER_TEXT, "%.0f", value);
    return text;
}

static void print_rank(const struct fm_counter_pace *pace, const struct fm_counter_job *job,
                       const struct fm_kernel_rates *kernel, size_t rank)
{
    static const char *const states[] = {"running", "ended", "killed", "unknown"};
    const fermata_counters_t *file = job->files[rank];
    struct activity a = activity_of(pace, job, rank);
    char safe[64], faults[FM_COUNTER_TEXT], preemptions[FM_COUNTER_TEXT];
    double s = pace->seconds, threads = (double)fermata_counters_threads(file);
    /* A call that began before the period counts in it as a whole. */
    double share = threads > 0 ? 100 * a.in_calls / s / threads : 0;
    printf("%5u %-8s %10.0f %6.1f %9.0f %9.2f %9.2f %8.0f %8.0f %8s %9s %7.1f  %s\n",
           fm_counter_job_rank(job, rank), states[fermata_counters_state(file)], a.calls / s,
           share < 100 ? share : 100, a.messages / s, 1e-6 * a.sent / s, 1e-6 * a.received / s,
           a.collectives / s, a.operations / s, rate(faults, kernel->of[rank].faults_per_second),
           rate(preemptions, kernel->of[rank].preemptions_per_second),
           fermata_counters_since_call(file),
           a.longest != NULL ? fm_safe_copy(safe, sizeof safe, a.longest) : "-");
}

/* @return the seconds since a call ended on any of the ranks that run; negative: none runs */
static double seconds_without_calls(const struct fm_counter_job *job)
{
    double least = -1;
    for (size_t rank = 0; rank < job->ranks; rank++) {
        const double since = fermata_counters_since_call(job->files[rank]);
        if (fermata_counters_state(job->files[rank]) == FERMATA_PROCESS_RUNNING &&
            (least < 0 || since < least)) {
            least = since;
        }
    }
    return least;
}

static void print_period(const struct fm_counter_pace *pace, const struct fm_counter_job *job,
                         const struct fm_kernel_rates *kernel, const struct fm_hang_watch *watch)
{
    char safe[512];
    const size_t rows = fm_hang_watch_rows(watch, LINES_OF_HEADING);
    const size_t shown = job->ranks < rows ? job->ranks : rows;
    fm_hang_watch_clear();
    printf("%s: %zu of %u ranks, %zu running; rates of the last %.1f s\n",
           fm_safe_copy(safe, sizeof safe, watch->place), job->ranks, fm_counter_job_size(job),
           fm_counter_job_in_state(job, FERMATA_PROCESS_RUNNING), pace->seconds);
    printf("%5s %-8s %10s %6s %9s %9s %9s %8s %8s %8s %9s %7s  %s\n", "rank", "state", "calls/s",
           "in %", "sends/s", "MB/s out", "MB/s in", "coll/s", "1-sid/s", "faults/s", "preempt/s",
           "last s", "longest in");
    for (size_t rank = 0; rank < shown; rank++) {
        print_rank(pace, job, kernel, rank);
    }
    if (shown < job->ranks) {
        printf("(%zu further ranks)\n", job->ranks - shown);
    }
    fm_hang_watch_print(watch, 2 + shown + (shown < job->ranks));
    fflush(stdout);
}

static void take_reading(void *context, const struct fm_counter_job *job, double now)
{
    fm_hang_watch_follow_interrupt();
    fm_kernel_rates_take(context, job, now);
}

void fm_counters_top(const char *path, struct fm_counter_job *job, double period, uint64_t count)
{
    struct fm_counter_pace pace;
    struct fm_kernel_rates kernel;
    struct fm_hang_watch watch = {.place = path};
    fm_counter_pace_begin(&pace, job);
    fm_kernel_rates_begin(&kernel, job);
    pace.look = take_reading;
    pace.context = &kernel;
    for (uint64_t i = 0; i < count && (i == 0 || fm_counter_pace_goes_on(job)); i++) {
        fm_counter_pace_wait(&pace, job, period);
        fm_hang_watch_update(&watch, seconds_without_calls(job), period);
        print_period(&pace, job, &kernel, &watch);
        fm_counter_pace_next(&pace, job);
        if (fm_counter_pace_take_others(&pace, job)) {
            fm_kernel_rates_end(&kernel);
            fm_kernel_rates_begin(&kernel, job);
        }
    }
    fm_hang_watch_end(&watch);
    fm_kernel_rates_end(&kernel);
    fm_counter_pace_end(&pace);
}
