/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Preloaded in front of the recorder: divides a run into stretches of calls. One half of the
 * stretches, chosen at random, is passed to the recorder; the other half bypasses the recorder and
 * goes to the communication library. Disturbances of the machine, which last seconds or minutes,
 * affect both halves equally. The comparison therefore shows differences that two separate runs
 * cannot show.
 *
 * When the program ends its communication each process writes to the file RECORD_IN_TURN.PID:
 * "inside SECONDS", its CPU time since the begin, and for each stretch in order "recorded
 * NANOSECONDS" or "around NANOSECONDS". RECORD_IN_TURN_CALLS is the number of calls of a stretch;
 * 0: all calls are recorded and no stretches are written. The random choice is the same in all
 * processes, which should make their calls in step, with one thread each. Calls that a library does
 * not list are always recorded.
 *
 * Each library includes this file once.
 */
#ifndef FERMATA_BENCH_IN_TURN_H
#define FERMATA_BENCH_IN_TURN_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum way { RECORDED, AROUND, WAYS };

static struct {
    double begin;       /* of the program, after MPI_Init: CPU time of the process */
    unsigned long size; /* calls of a stretch; 0: no stretches */
    unsigned long left; /* of the current stretch */
    enum way way;
    uint64_t chance;
    uint64_t since; /* begin of the stretch */
    struct stretch {
        enum way way;
        uint64_t duration;
    } * stretches;
    size_t count, room;
} run = {.chance = 88172645463325252u};

static uint64_t nanoseconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void keep(struct stretch stretch)
{
    if (run.count == run.room) {
        run.room = run.room != 0 ? 2 * run.room : 4096;
        run.stretches = realloc(run.stretches, run.room * sizeof *run.stretches);
        if (run.stretches == NULL) {
            abort();
        }
    }
    run.stretches[run.count++] = stretch;
}

/* xorshift64 [Marsaglia 2003]. */
static uint64_t draw(void)
{
    run.chance ^= run.chance << 13;
    run.chance ^= run.chance >> 7;
    run.chance ^= run.chance << 17;
    return run.chance;
}

/* Calls a function that the program does not call, by the recorder. Each library defines it. */
static void separate(void);

/* To the recorder, calls that bypass it are a long computation, before and after which it reads
 * clocks of the processor. Between stretches, outside their times, it sees a function that only
 * stands there: then it neither reads these clocks in a stretch, nor expects long computations
 * after the functions of the program. */
static void next_stretch(void)
{
    keep((struct stretch){run.way, nanoseconds(CLOCK_MONOTONIC) - run.since});
    run.way = draw() >> 32 & 1 ? AROUND : RECORDED;
    run.left = run.size - 1; /* this call is the first one */
    separate();
    run.since = nanoseconds(CLOCK_MONOTONIC);
}

static enum way way_of_this_call(void)
{
    if (run.size != 0 && run.left-- == 0) {
        next_stretch();
    }
    return run.way;
}

static void begin(void)
{
    const char *calls = getenv("RECORD_IN_TURN_CALLS");
    run.size = calls != NULL ? strtoul(calls, NULL, 10) : 0;
    run.left = run.size;
    run.begin = (double)nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
    run.since = nanoseconds(CLOCK_MONOTONIC);
}

static void end(void)
{
    double inside = (double)nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - run.begin;
    const char *prefix = getenv("RECORD_IN_TURN");
    char path[4096];
    run.size = 0;
    run.way = RECORDED;
    if (prefix == NULL) {
        return;
    }
    snprintf(path, sizeof path, "%s.%ld", prefix, (long)getpid());
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        abort();
    }
    fprintf(file, "inside %.9f\n", inside * 1e-9);
    for (size_t i = 0; i < run.count; i++) {
        fprintf(file, "%s %llu\n", run.stretches[i].way == AROUND ? "around" : "recorded",
                (unsigned long long)run.stretches[i].duration);
    }
    if (fclose(file) != 0) {
        abort();
    }
}

/* WAYS_OF(type, name, profiling, parameters): variable `ways` with both functions, that of the
 * recorder and the library's by its profiling name. */
#define WAYS_OF(type, name, profiling, parameters)                                                 \
    static type(*ways[WAYS]) parameters;                                                           \
    if (ways[RECORDED] == NULL) {                                                                  \
        ways[RECORDED] = (type(*) parameters)(uintptr_t)dlsym(RTLD_NEXT, #name);                   \
        ways[AROUND] = (type(*) parameters)(uintptr_t)dlsym(RTLD_DEFAULT, #profiling);             \
    }

/* The recorder sees the program as the caller of the function, because compilers replace the call
 * by a jump. */
#define IN_TURN(type, name, profiling, parameters, arguments)                                      \
    type name parameters                                                                           \
    {                                                                                              \
        WAYS_OF(type, name, profiling, parameters)                                                 \
        return ways[way_of_this_call()] arguments;                                                 \
    }

#endif
