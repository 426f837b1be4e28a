/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/counters/counter_pace.h"

#include "base/memory.h"

#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void fm_counter_pace_next(struct fm_counter_pace *pace, const struct fm_counter_job *job)
{
    for (size_t rank = 0; rank < pace->ranks; rank++) {
        size_t count = fermata_counters_number(job->files[rank]);
        pace->values[rank] = fm_resize(pace->values[rank], pace->counts[rank] * sizeof(double),
                                       count * sizeof(double));
        pace->counts[rank] = count;
        for (size_t i = 0; i < count; i++) {
            pace->values[rank][i] = fermata_counters_real(job->files[rank], i);
        }
    }
}

void fm_counter_pace_begin(struct fm_counter_pace *pace, const struct fm_counter_job *job)
{
    *pace = (struct fm_counter_pace){.ranks = job->ranks, .begin = now()};
    pace->last = pace->begin;
    pace->values = fm_allocate(job->ranks, sizeof *pace->values);
    pace->counts = fm_allocate(job->ranks, sizeof *pace->counts);
    fm_counter_pace_next(pace, job);
}

bool fm_counter_pace_take_others(struct fm_counter_pace *pace, struct fm_counter_job *job)
{
    struct fm_counter_pace before = *pace;
    if (!fm_counter_job_take_others(job)) {
        return false;
    }
    fm_counter_job_read(job);
    fm_counter_pace_end(pace);
    fm_counter_pace_begin(pace, job);
    pace->begin = before.begin;
    pace->last = before.last;
    pace->look = before.look;
    pace->context = before.context;
    return true;
}

void fm_counter_pace_end(struct fm_counter_pace *pace)
{
    for (size_t rank = 0; rank < pace->ranks; rank++) {
        fm_free(pace->values[rank]);
    }
    fm_free(pace->values);
    fm_free(pace->counts);
}

bool fm_counter_pace_goes_on(const struct fm_counter_job *job)
{
    return fm_counter_job_in_state(job, FERMATA_PROCESS_RUNNING) +
               fm_counter_job_in_state(job, FERMATA_PROCESS_UNKNOWN) >
           0;
}

void fm_counter_pace_wait(struct fm_counter_pace *pace, struct fm_counter_job *job, double period)
{
    size_t running = fm_counter_job_in_state(job, FERMATA_PROCESS_RUNNING);
    double due = pace->last + period, rest;
    do {
        rest = due - now();
        double part = rest < 0.1 ? rest : 0.1;
        if (part > 0) {
            struct timespec time = {.tv_nsec = (long)(1e9 * part)};
            nanosleep(&time, NULL);
        }
        fm_counter_job_read(job);
        if (pace->look != NULL) {
            pace->look(pace->context, job, now());
        }
    } while (due - now() > 0 && fm_counter_job_in_state(job, FERMATA_PROCESS_RUNNING) == running);
    double time = now();
    pace->seconds = time - pace->last > 1e-6 ? time - pace->last : 1e-6;
    pace->elapsed = time - pace->begin;
    pace->last = time;
}

double fm_counter_pace_change_in(const struct fm_counter_pace *pace,
                                 const struct fm_counter_job *job, size_t rank, size_t number)
{
    double before = number < pace->counts[rank] ? pace->values[rank][number] : 0;
    return fermata_counters_real(job->files[rank], number) - before;
}

double fm_counter_pace_change(const struct fm_counter_pace *pace, const struct fm_counter_job *job,
                              size_t counter)
{
    double change = 0, before = 0, after = 0;
    for (size_t rank = 0; rank < pace->ranks; rank++) {
        int number = fm_counter_job_place(job, rank, counter);
        if (number < 0) {
            continue;
        }
        double part = fm_counter_pace_change_in(pace, job, rank, (size_t)number);
        double value = fermata_counters_real(job->files[rank], (size_t)number);
        change += part;
        after = value > after ? value : after;
        before = value - part > before ? value - part : before;
    }
    return job->counters[counter].kind == FM_COUNTER_HIGH_WATERMARK ? after - before : change;
}
