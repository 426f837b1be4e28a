/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/sampling/sample_clock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Older headers of the C library lack the name. */
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* WATCHED: how often the timer looks after a perf event, nanoseconds. SILENT: mean periods without
 * an expiry after which the event is given up, and at least two looks. */
enum { SECOND = 1000000000, WATCHED = SECOND / 10, SILENT = 8 };

static struct timespec as_time(uint64_t nanoseconds)
{
    return (struct timespec){.tv_sec = (time_t)(nanoseconds / SECOND),
                             .tv_nsec = (long)(nanoseconds % SECOND)};
}

uint64_t fm_sample_clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

uint64_t fm_sample_clock_since_tick(void)
{
    struct timespec now, tick;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &tick);
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t since = (int64_t)(now.tv_sec - tick.tv_sec) * SECOND + (now.tv_nsec - tick.tv_nsec);
    return since > 0 ? (uint64_t)since : 0;
}

/* ---- perf events ---- */

static int open_event(void)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof attributes,
        .config = PERF_COUNT_SW_TASK_CLOCK,
        .sample_period = SECOND,
        .disabled = 1,
        .wakeup_events = 1,
    };
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* A program with many threads needs its descriptors itself. */
static bool is_scarce(int descriptor)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 && (rlim_t)descriptor >= limit.rlim_cur / 2;
}

static int make_event(struct fm_sample_clock *clock, int number)
{
    struct f_owner_ex owner = {.type = F_OWNER_TID, .pid = gettid()};
    int reason = 0, descriptor = open_event();
    if (descriptor < 0) {
        return errno;
    }
    if (is_scarce(descriptor)) {
        reason = EMFILE;
    } else if (ioctl(descriptor, PERF_EVENT_IOC_ID, &clock->identifier) != 0 ||
               fcntl(descriptor, F_SETOWN_EX, &owner) != 0 ||
               fcntl(descriptor, F_SETSIG, number) != 0 ||
               fcntl(descriptor, F_SETFL, O_ASYNC) != 0) {
        reason = errno;
    }
    if (reason != 0) {
        close(descriptor);
        return reason;
    }
    clock->descriptor = descriptor;
    clock->is_perf = true;
    return 0;
}

static bool is_own_event(const struct fm_sample_clock *clock)
{
    uint64_t identifier;
    return ioctl(clock->descriptor, PERF_EVENT_IOC_ID, &identifier) == 0 &&
           identifier == clock->identifier;
}

int fm_sample_clock_try_perf(void)
{
    int descriptor = open_event();
    if (descriptor < 0) {
        return errno;
    }
    close(descriptor);
    return 0;
}

/* ---- both ---- */

int fm_sample_clock_make(struct fm_sample_clock *clock, bool with_perf, int number)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = number};
    event.sigev_notify_thread_id = gettid();
    *clock = (struct fm_sample_clock){.is_perf = false};
    int reason = with_perf ? make_event(clock, number) : 0;
    if (reason != 0) {
        return reason;
    }
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &clock->timer) != 0) {
        reason = errno;
        if (with_perf) {
            close(clock->descriptor);
        }
        return reason;
    }
    if (with_perf) {
        const struct itimerspec watched = {as_time(WATCHED), as_time(WATCHED)};
        timer_settime(clock->timer, 0, &watched, NULL);
    }
    return 0;
}

bool fm_sample_clock_set(const struct fm_sample_clock *clock, uint64_t period)
{
    if (clock->is_perf) {
        return ioctl(clock->descriptor, PERF_EVENT_IOC_PERIOD, &period) == 0 &&
               ioctl(clock->descriptor, PERF_EVENT_IOC_REFRESH, 1) == 0;
    }
    const struct itimerspec once = {{0, 0}, as_time(period)};
    timer_settime(clock->timer, 0, &once, NULL); /* never expires before the next tick */
    return true;
}

enum fm_sample_expiry fm_sample_clock_expiry(const struct fm_sample_clock *clock,
                                             const siginfo_t *info)
{
    if (info->si_code == SI_TIMER) {
        return clock->is_perf ? FM_EXPIRY_WATCH : FM_EXPIRY_SAMPLE;
    }
    bool is_event = info->si_code == POLL_HUP || info->si_code == POLL_IN;
    return is_event && clock->is_perf && info->si_fd == clock->descriptor ? FM_EXPIRY_SAMPLE
                                                                          : FM_EXPIRY_OTHER;
}

bool fm_sample_clock_is_stuck(uint64_t silent, uint64_t mean)
{
    return silent > 2 * (uint64_t)WATCHED && silent > SILENT * mean;
}

void fm_sample_clock_use_timer(struct fm_sample_clock *clock)
{
    clock->is_perf = false;
}

void fm_sample_clock_end(struct fm_sample_clock *clock)
{
    timer_delete(clock->timer);
    if (clock->is_perf && is_own_event(clock)) {
        close(clock->descriptor);
    }
}
