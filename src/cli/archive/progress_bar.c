/* SPDX-License-Identifier: BSD-3-Clause */
/* Only the reading of events counts what it has done. For the later stages the share done is
 * extrapolated from the time that the reading took: the estimate is rough. */
#include "cli/archive/progress_bar.h"

#include "base/memory.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#define REDRAW_NANOSECONDS 200000000L

/* Share of the reading of events in an analysis: about 0.25 with passive-target communication, more
 * with messages. */
#define READING_SHARE 0.35

/* A stage that takes longer than expected stays below the end. */
#define LARGEST_SHARE 0.99

struct fm_progress_bar {
    const struct fm_stage_times *times;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ending;
    bool ends;
    bool has_read;      /* the reading of events has begun */
    double begin, read; /* seconds: when the bar began, and when all events were read; 0: not yet */
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void draw(struct fm_progress_bar *bar)
{
    const struct fm_stage_times *times = bar->times;
    const unsigned count = atomic_load(&times->count);
    if (count == 0) {
        return;
    }
    const double planned = (double)atomic_load(&times->planned);
    const double done = (double)atomic_load(&times->done);
    const double elapsed = now() - bar->begin;
    double share = 0;
    if (planned > 0 && done < planned) {
        bar->has_read = true;
        share = READING_SHARE * done / planned;
    } else if (bar->has_read || planned > 0) {
        bar->has_read = true;
        bar->read = bar->read > 0 ? bar->read : elapsed;
        share = fmin(READING_SHARE * elapsed / bar->read, LARGEST_SHARE);
    }
    fprintf(stderr, "\r\033[K%s: %.0f %%", times->stages[count - 1].name, 100 * share);
    if (planned > 0 && elapsed > 0) {
        fprintf(stderr, ", %.1f million events/s", done / elapsed * 1e-6);
    }
    if (share > 0) {
        fprintf(stderr, ", about %.0f s left", ceil(elapsed * (1 - share) / share));
    }
    fflush(stderr);
}

static void *redraw(void *argument)
{
    struct fm_progress_bar *bar = argument;
    pthread_mutex_lock(&bar->lock);
    while (!bar->ends) {
        draw(bar);
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += REDRAW_NANOSECONDS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        for (int status = 0; status == 0 && !bar->ends;) {
            status = pthread_cond_timedwait(&bar->ending, &bar->lock, &until);
        }
    }
    pthread_mutex_unlock(&bar->lock);
    return NULL;
}

static void free_bar(struct fm_progress_bar *bar)
{
    pthread_cond_destroy(&bar->ending);
    pthread_mutex_destroy(&bar->lock);
    fm_free(bar);
}

struct fm_progress_bar *fm_progress_bar_begin(const struct fm_stage_times *times)
{
    struct fm_progress_bar *bar = fm_allocate(1, sizeof *bar);
    bar->times = times;
    bar->begin = now();
    pthread_mutex_init(&bar->lock, NULL);
    pthread_cond_init(&bar->ending, NULL);
    if (pthread_create(&bar->thread, NULL, redraw, bar) != 0) {
        free_bar(bar);
        return NULL;
    }
    return bar;
}

void fm_progress_bar_end(struct fm_progress_bar *bar)
{
    if (bar == NULL) {
        return;
    }
    pthread_mutex_lock(&bar->lock);
    bar->ends = true;
    pthread_cond_signal(&bar->ending);
    pthread_mutex_unlock(&bar->lock);
    pthread_join(bar->thread, NULL);
    fputs("\r\033[K", stderr);
    free_bar(bar);
}
