/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/hang/top_threads.h"

#include "cli/hang/hang_watch.h"
#include "cli/text/safe_text.h"
#include "record/rebuild/live_threads.h"
#include "record/rebuild/look.h"

#include <stdio.h>
#include <time.h>

enum { LINES_OF_HEADING = 4 };

/* A thread as it was seen before. */
struct seen_thread {
    uint64_t location, enter;
    double since; /* when it was seen in this call first, seconds */
};

typedef FM_VECTOR(struct seen_thread) seen_threads;

static double clock_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void sleep_until(double due)
{
    for (double rest = due - clock_seconds(); rest > 0; rest = due - clock_seconds()) {
        const double part = rest < 0.1 ? rest : 0.1;
        nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * part)}, NULL);
        fm_hang_watch_follow_interrupt();
    }
}

/* Notes in which calls threads are. Both lists ascend by location.
 * @param last  in, out: when a thread was seen in another call than before */
static void compare(const fm_live_threads *threads, seen_threads *seen, double now, double *last)
{
    seen_threads next = {0};
    size_t s = 0;
    for (size_t i = 0; i < threads->count; i++) {
        const struct fm_live_thread *thread = &threads->items[i];
        while (s < seen->count && seen->items[s].location < thread->location) {
            s++;
        }
        struct seen_thread own = {thread->location, thread->enter, now};
        const bool is_known = s < seen->count && seen->items[s].location == thread->location;
        if (is_known && seen->items[s].enter == own.enter) {
            own.since = seen->items[s].since;
        } else if (!is_known || own.enter != 0) {
            *last = now;
        }
        fm_vector_push(&next, own);
    }
    fm_vector_free(seen);
    *seen = next;
}

static size_t count_ranks(const fm_live_threads *threads)
{
    size_t ranks = 0;
    for (size_t i = 0; i < threads->count; i++) {
        ranks += i == 0 || threads->items[i - 1].rank != threads->items[i].rank;
    }
    return ranks;
}

static bool is_in_call(const fm_live_threads *threads)
{
    for (size_t i = 0; i < threads->count; i++) {
        if (threads->items[i].enter != 0) {
            return true;
        }
    }
    return false;
}

/* @return the position after the threads of its rank */
static size_t print_rank(const fm_live_threads *threads, const seen_threads *seen, size_t first,
                         double now)
{
    size_t end = first;
    while (end < threads->count && threads->items[end].rank == threads->items[first].rank) {
        end++;
    }
    const struct fm_live_thread *thread = &threads->items[first];
    char time[32] = "-";
    if (thread->enter != 0) {
        snprintf(time, sizeof time, "%.1f", now - seen->items[first].since);
    }
    printf("%5u %7zu %9s  %s\n", thread->rank, end - first, time,
           thread->text != NULL ? thread->text : "-");
    return end;
}

static void print_period(const struct fm_hang_watch *watch, const fm_live_threads *threads,
                         const seen_threads *seen, double now)
{
    char safe[512];
    const size_t ranks = count_ranks(threads);
    const size_t rows = fm_hang_watch_rows(watch, LINES_OF_HEADING);
    const size_t shown = ranks < rows ? ranks : rows;
    fm_hang_watch_clear();
    printf("%s: %zu ranks run; rates need counters (fermata record --counters)\n",
           fm_safe_copy(safe, sizeof safe, watch->place), ranks);
    printf("%5s %7s %9s  %s\n", "rank", "threads", "in call s", "now");
    for (size_t i = 0, first = 0; i < shown; i++) {
        first = print_rank(threads, seen, first, now);
    }
    if (shown < ranks) {
        printf("(%zu further ranks)\n", ranks - shown);
    }
    fm_hang_watch_print(watch, 2 + shown + (shown < ranks));
    fflush(stdout);
}

void fm_top_threads(const char *place, double period, uint64_t count)
{
    struct fm_hang_watch watch = {.place = place};
    seen_threads seen = {0};
    double last = clock_seconds(), due = last;
    for (uint64_t i = 0; i < count && fm_look_is_due(place); i++) {
        fm_live_threads threads = {0};
        due = due + period > clock_seconds() ? due + period : clock_seconds();
        sleep_until(due);
        fm_live_threads_read(place, &threads);
        const double now = clock_seconds();
        compare(&threads, &seen, now, &last);
        fm_hang_watch_update(&watch, is_in_call(&threads) ? now - last : -1, period);
        print_period(&watch, &threads, &seen, now);
        fm_live_threads_free(&threads);
    }
    fm_vector_free(&seen);
    fm_hang_watch_end(&watch);
}
