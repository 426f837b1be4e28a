/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Tight loops of the cheapest calls of a communication library: what measures the cost that
 * recording adds to a call. Shared by the programs mpi_call_loop, shmem_call_loop, ...
 *
 * Each prints nanoseconds of processor time per call: of the fastest of several loops, after one
 * loop for warming up, because other programs on the machine can only slow a loop down. The whole
 * measurement is repeated after a second: a recorder first uses new memory, and then the memory
 * that it flushed in between. Finally the program runs the same loops and reads the clock itself
 * before and after each call, and between the calls of a construct of OpenMP that several calls
 * make up: the added time is the lower bound for any tool that measures calls. The clock is the
 * recorder's, chosen by its rule for the machine (record/capture/clock.h).
 */
#ifndef FERMATA_BENCH_CALL_LOOP_H
#define FERMATA_BENCH_CALL_LOOP_H

#include "processor_time.h"
#include "record/capture/clock.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile uint64_t duration; /* of the last call */

/** Calls `call`; reads the clock before and after it if `clock`, which is a constant at every use
 * of the macro. */
#define CALL(clock, call)                                                                          \
    do {                                                                                           \
        uint64_t begin = (clock) ? fm_clock_now() : 0;                                             \
        (call);                                                                                    \
        if (clock) {                                                                               \
            duration = fm_clock_now() - begin;                                                     \
        }                                                                                          \
    } while (0)

/** Reads the clock once more inside the call of CALL, where a construct has a further moment that
 * a tool must measure, if `clock`, a constant. */
#define READ_INSIDE(clock)                                                                         \
    do {                                                                                           \
        if (clock) {                                                                               \
            duration = fm_clock_now();                                                             \
        }                                                                                          \
    } while (0)

struct call_loop {
    const char *name;
    int calls; /**< in each turn */
    void (*plainly)(long count);
    void (*with_clock)(long count);
};

/** Defines NAME_plainly() and NAME_with_clock(), which call the function NAME(count, clock). */
#define CALL_LOOP(name)                                                                            \
    static void name##_plainly(long count)                                                         \
    {                                                                                              \
        name(count, false);                                                                        \
    }                                                                                              \
    static void name##_with_clock(long count)                                                      \
    {                                                                                              \
        name(count, true);                                                                         \
    }

/** What the command line `PROGRAM LOOP COUNT [LOOPS]` asks for. */
struct call_loop_choice {
    const struct call_loop *loop; /**< NULL: the command line is wrong, which has been said */
    long count;                   /**< turns of a loop */
    int repeats;
};

static inline struct call_loop_choice call_loop_choose(int argc, char **argv,
                                                       const struct call_loop *loops, size_t known)
{
    struct call_loop_choice choice = {.count = argc > 2 ? atol(argv[2]) : 0,
                                      .repeats = argc > 3 ? atoi(argv[3]) : 9};
    for (size_t i = 0; i < known && argc > 1; ++i) {
        if (strcmp(argv[1], loops[i].name) == 0) {
            choice.loop = &loops[i];
        }
    }
    if (choice.count <= 0 || choice.repeats <= 0) {
        choice.loop = NULL;
    }
    if (choice.loop == NULL) {
        fprintf(stderr, "usage: %s ", argv[0]);
        for (size_t i = 0; i < known; ++i) {
            fprintf(stderr, "%s%s", i == 0 ? "" : "|", loops[i].name);
        }
        fputs(" COUNT [LOOPS]\n", stderr);
    }
    return choice;
}

/* Processor time of the fastest loop, in seconds. */
static inline double call_loop_time(void (*run)(long count), const struct call_loop_choice *choice)
{
    double fastest = INFINITY;
    for (int i = -1; i < choice->repeats; ++i) {
        double begin = processor_seconds();
        run(choice->count);
        if (i >= 0) {
            const double time = processor_seconds() - begin;
            fastest = time < fastest ? time : fastest;
        }
    }
    return fastest;
}

/** Nanoseconds per call. */
struct call_loop_times {
    double again, first, clock;
};

/** Runs the loop in each of its ways. */
static inline struct call_loop_times call_loop_measure(const struct call_loop_choice *choice)
{
    static const struct timespec second = {1, 0};
    const double scale = 1e9 / (double)choice->count / choice->loop->calls;
    struct call_loop_times times;
    fm_clock_start(0, 0);
    times.first = scale * call_loop_time(choice->loop->plainly, choice);
    nanosleep(&second, NULL);
    times.again = scale * call_loop_time(choice->loop->plainly, choice);
    times.clock = scale * call_loop_time(choice->loop->with_clock, choice);
    return times;
}

static inline void call_loop_print(const struct call_loop_times *times)
{
    printf("%.3f ns per call\n%.3f ns per call at first\n%.3f ns per call with clocks\n",
           times->again, times->first, times->clock);
    fflush(stdout);
}

#endif
