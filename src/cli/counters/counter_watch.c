/* SPDX-License-Identifier: BSD-3-Clause */
/* fermata counters watch: what counters of a running program change by, period by period. */
#include "base/memory.h"
#include "cli/counters/counter_output.h"
#include "cli/counters/counter_pace.h"
#include "cli/text/safe_text.h"

#include <math.h>
#include <stdio.h>

static void print_row(const struct fm_counter_request *request,
                      const struct fm_job_counter *counter, double total, double rate,
                      double elapsed)
{
    char safe[128], text[FM_COUNTER_TEXT], speed[FM_COUNTER_TEXT] = "";
    fm_safe_copy(safe, sizeof safe, counter->name);
    if (request->format == FM_COUNTERS_CSV) {
        printf("%.3f,%s,%s,%.9g,", elapsed, safe, counter->unit, total);
        printf(fm_counter_is_level(counter->kind) ? "\n" : "%.9g\n", rate);
        return;
    }
    if (!fm_counter_is_level(counter->kind)) {
        bool has_fraction = fm_counter_is_time(counter->kind) || fm_counter_is_real(counter->kind);
        fm_counter_text(speed, counter->kind, has_fraction ? rate : round(rate));
    }
    printf("%10.3f  %-36s %18s %18s\n", elapsed, safe, fm_counter_text(text, counter->kind, total),
           speed);
}

static void print_period(const struct fm_counter_request *request, const struct fm_counter_job *job,
                         const struct fm_counter_pace *pace)
{
    for (size_t i = 0; i < job->count; i++) {
        const struct fm_job_counter *counter = &job->counters[i];
        double change = fm_counter_pace_change(pace, job, i);
        if (fm_counter_is_asked(request, counter) && (request->all || change != 0)) {
            print_row(request, counter, fm_counter_job_spread(job, i, -1).total,
                      change / pace->seconds, pace->elapsed);
        }
    }
    fflush(stdout);
}

void fm_counters_watch(const struct fm_counter_request *request, struct fm_counter_job *job)
{
    struct fm_counter_pace pace;
    fm_counter_pace_begin(&pace, job);
    if (request->format == FM_COUNTERS_CSV) {
        puts("seconds,counter,unit,total,per_second");
    } else {
        printf("%10s  %-36s %18s %18s\n", "seconds", "counter", "total", "per second");
    }
    fflush(stdout);
    for (uint64_t i = 0; i < request->count && fm_counter_pace_goes_on(job); i++) {
        fm_counter_pace_wait(&pace, job, request->period);
        print_period(request, job, &pace);
        fm_counter_pace_next(&pace, job);
        fm_counter_pace_take_others(&pace, job);
    }
    fm_counter_pace_end(&pace);
}
