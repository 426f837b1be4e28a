/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/capture/clock.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum { NANOSECONDS = 1000000000, SHORTEST_MEASUREMENT = 10000000, ATTEMPTS = 5 };

struct fm_clock fm_clock;

static uint64_t nanoseconds_of(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * NANOSECONDS + (uint64_t)now.tv_nsec;
}

uint64_t fm_clock_nanoseconds(void)
{
    return nanoseconds_of(CLOCK_MONOTONIC_RAW);
}

static bool counter_is_invariant(void)
{
#if defined(__x86_64__)
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007u, &a, &b, &c, &d) != 0 && (d & (1u << 8)) != 0;
#else
    return false;
#endif
}

bool fm_clock_is_trusted(const char *sources)
{
    return strstr(sources, "tsc") != NULL;
}

/* Without information from the system, the counter is trusted. */
static bool kernel_trusts_counter(void)
{
    static const char path[] = "/sys/devices/system/clocksource/clocksource0/available_clocksource";
    char sources[256];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, sources, sizeof sources - 1) : 0;
    if (file >= 0) {
        close(file);
    }
    sources[length > 0 ? length : 0] = '\0';
    return length <= 0 || fm_clock_is_trusted(sources);
}

/* A moment by all clocks. */
struct reading {
    uint64_t ticks, nanoseconds, realtime, width;
};

/* The attempt that takes shortest is the one in which the thread kept its processor. */
static struct reading read_clocks(void)
{
    struct reading best = {.width = UINT64_MAX};
    for (int i = 0; i < ATTEMPTS; i++) {
        struct reading reading = {.nanoseconds = fm_clock_nanoseconds()};
        reading.ticks = fm_clock.counter ? fm_clock_now() : reading.nanoseconds;
        reading.realtime = nanoseconds_of(CLOCK_REALTIME);
        reading.width = fm_clock_nanoseconds() - reading.nanoseconds;
        if (reading.width < best.width) {
            best = reading;
        }
    }
    return best;
}

void fm_clock_start(uint64_t ticks, uint64_t nanoseconds)
{
    bool invariant = counter_is_invariant();
    fm_clock.counter = invariant && kernel_trusts_counter();
    fm_clock.doubted = invariant && !fm_clock.counter;
    struct reading now = read_clocks();
    if (nanoseconds == 0) {
        nanoseconds = now.nanoseconds;
        ticks = 0;
    }
    fm_clock.start_nanoseconds = nanoseconds;
    if (!fm_clock.counter) {
        fm_clock.start_ticks = nanoseconds;
    } else {
        fm_clock.start_ticks = ticks != 0 ? ticks : now.ticks;
    }
    fm_clock.start_realtime = now.realtime - (now.nanoseconds - nanoseconds);
}

uint64_t fm_clock_resolution(void)
{
    if (!fm_clock.counter) {
        return NANOSECONDS;
    }
    struct fm_clock_moment now = fm_clock_moment();
    while (now.nanoseconds - fm_clock.start_nanoseconds < SHORTEST_MEASUREMENT) {
        usleep(1000);
        now = fm_clock_moment();
    }
    long double rate = (long double)(now.ticks - fm_clock.start_ticks) * NANOSECONDS /
                       (long double)(now.nanoseconds - fm_clock.start_nanoseconds);
    return (uint64_t)(rate + 0.5L);
}

struct fm_clock_moment fm_clock_moment(void)
{
    struct fm_clock_moment best = {.width = UINT64_MAX};
    if (!fm_clock.counter) {
        uint64_t now = fm_clock_nanoseconds();
        return (struct fm_clock_moment){now, now, 0};
    }
    for (int i = 0; i < ATTEMPTS; i++) {
        uint64_t before = fm_clock_now(), nanoseconds = fm_clock_nanoseconds();
        uint64_t width = fm_clock_now() - before;
        if (width < best.width) {
            best = (struct fm_clock_moment){before + width / 2, nanoseconds, width};
        }
    }
    return best;
}

const char *fm_clock_name(void)
{
    return fm_clock.counter   ? "TSC (invariant)"
           : fm_clock.doubted ? "CLOCK_MONOTONIC_RAW (the kernel finds the TSC unstable)"
                              : "CLOCK_MONOTONIC_RAW";
}

uint64_t fm_clock_domain(void)
{
    char boot[64] = "";
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, boot, sizeof boot) : 0;
    if (file >= 0) {
        close(file);
    }
    if (length <= 0) {
        return (uint64_t)getpid() | (uint64_t)1 << 63; /* unknown: a domain of its own */
    }
    uint64_t hash = 14695981039346656037u ^ (uint64_t)fm_clock.counter; /* FNV-1a */
    for (ssize_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)boot[i]) * 1099511628211u;
    }
    return hash & ~((uint64_t)1 << 63);
}
