/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/launch_snapshots.h"

#include "counters/counter_snapshot.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOK = 20 /* milliseconds between looks for the directory */ };

static volatile sig_atomic_t stopped;

static void stop(int number)
{
    (void)number;
    stopped = 1;
}

/* Sleeps, unless the program has ended. */
static void wait_for(double seconds)
{
    struct timespec time = {.tv_sec = (time_t)seconds};
    time.tv_nsec = (long)(1e9 * (seconds - (double)time.tv_sec));
    sigset_t term, before;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    sigprocmask(SIG_BLOCK, &term, &before); /* the signal must not come between test and sleep */
    if (!stopped && sigtimedwait(&term, NULL, &time) == SIGTERM) {
        stopped = 1;
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static struct fm_snapshots *begin(void (*directory)(void *context, char *path, size_t size),
                                  void *context)
{
    struct fm_snapshots *snapshots = NULL;
    char path[PATH_MAX];
    while (snapshots == NULL) {
        bool is_last = stopped;
        path[0] = '\0';
        directory(context, path, sizeof path);
        if (path[0] != '\0' && fm_snapshots_begin(path, &snapshots, NULL) == FM_OK) {
            break;
        }
        if (is_last) {
            return NULL;
        }
        wait_for(1e-3 * LOOK);
    }
    return snapshots;
}

/* Snapshots at multiples of the period, and one at the end. */
static void take_all(double period, struct fm_snapshots *snapshots)
{
    double due = now();
    bool good = true;
    while (good && !stopped && fm_snapshots_go_on(snapshots)) {
        good = fm_snapshots_take(snapshots);
        do {
            due += period;
        } while (due <= now());
        wait_for(due - now());
    }
    if (good) {
        fm_snapshots_take(snapshots);
    }
    fm_snapshots_end(snapshots);
}

pid_t fm_launch_snapshots(double period, void (*directory)(void *context, char *path, size_t size),
                          void *context)
{
    fflush(NULL);
    pid_t process = fork();
    if (process == 0) {
        struct sigaction action = {.sa_handler = stop};
        sigaction(SIGTERM, &action, NULL);
        signal(SIGINT, SIG_IGN); /* the program decides what an interrupt means */
        signal(SIGHUP, SIG_IGN);
        struct fm_snapshots *snapshots = begin(directory, context);
        if (snapshots != NULL) {
            take_all(period, snapshots);
        }
        _exit(0);
    }
    return process;
}

void fm_launch_snapshots_end(pid_t process)
{
    if (process > 0) {
        kill(process, SIGTERM);
        while (waitpid(process, NULL, 0) < 0 && errno == EINTR) {
        }
    }
}
