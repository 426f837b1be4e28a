/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded: for rank 1 CLOCK_MONOTONIC_RAW runs faster, by a hundredth. Its time-stamp counter,
 * measured against that, seems to run slower than that of the others. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int is_rank_1(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const char *rank = getenv(variables[i]);
        if (rank != NULL && strcmp(rank, "1") == 0) {
            return 1;
        }
    }
    return 0;
}

int clock_gettime(clockid_t id, struct timespec *time)
{
    static int (*original)(clockid_t, struct timespec *);
    static long long begin;
    if (original == NULL) {
        original = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    }
    int result = original(id, time);
    if (id == CLOCK_MONOTONIC_RAW && is_rank_1()) {
        long long now = time->tv_sec * 1000000000LL + time->tv_nsec;
        begin = begin != 0 ? begin : now;
        now += (now - begin) / 100;
        time->tv_sec = now / 1000000000;
        time->tv_nsec = now % 1000000000;
    }
    return result;
}
