/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What the other threads of the process do, by the system: test programs wait for it instead of for
 * a time, which may be too short on a busy machine.
 */
#ifndef FERMATA_TESTS_LIVE_THREADS_ASLEEP_H
#define FERMATA_TESTS_LIVE_THREADS_ASLEEP_H

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/** Number of threads; of those that sleep, without the calling one. */
struct thread_counts {
    int all, asleep;
};

static inline struct thread_counts count_threads(void)
{
    struct thread_counts counts = {0, 0};
    DIR *folder = opendir("/proc/self/task");
    const struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        char path[64], state = '\0';
        const int thread = atoi(entry->d_name);
        snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
        FILE *file = thread > 0 ? fopen(path, "r") : NULL;
        if (file != NULL) {
            counts.all += fscanf(file, "%*d (%*[^)]) %c", &state) == 1;
            counts.asleep += state == 'S' && thread != gettid();
            fclose(file);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return counts;
}

/** Returns when at least `count` other threads sleep. */
static inline void await_asleep(int count)
{
    while (count_threads().asleep < count) {
        sched_yield();
    }
}

/** Returns when no other thread exists. */
static inline void await_last(void)
{
    while (count_threads().all > 1) {
        sched_yield();
    }
}

/** Seconds of processor time that the calling thread has used. */
static inline double processor_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

#endif
