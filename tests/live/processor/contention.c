/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes between barriers, and reads from the kernel for how long it had no processor:
 *
 *   contention ITERATIONS CPU_SECONDS [FACTOR]
 *
 * Rank 1 computes FACTOR times as long (default 1). Each rank prints the wall time, the run
 * delay and the number of preemptions of its computation. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static double seconds_of(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The second number of schedstat, in seconds. */
static double run_delay(void)
{
    char text[96] = "";
    int file = open("/proc/thread-self/schedstat", O_RDONLY);
    if (file < 0 || read(file, text, sizeof text - 1) <= 0) {
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    close(file);
    return 1e-9 * strtod(strchr(text, ' '), NULL);
}

static long preemptions(void)
{
    struct rusage usage = {0};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
}

__attribute__((noinline)) static void compute(double cpu)
{
    double end = seconds_of(CLOCK_THREAD_CPUTIME_ID) + cpu;
    while (seconds_of(CLOCK_THREAD_CPUTIME_ID) < end) {
    }
}

int main(int argc, char **argv)
{
    int rank, iterations = argc > 1 ? atoi(argv[1]) : 20;
    double cpu = argc > 2 ? atof(argv[2]) : 0.02, wall = 0, delay = 0;
    long preempted = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1 && argc > 3) {
        cpu *= atof(argv[3]);
    }
    for (int i = 0; i < iterations; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = seconds_of(CLOCK_MONOTONIC_RAW), before = run_delay();
        preempted -= preemptions();
        compute(cpu);
        preempted += preemptions();
        delay += run_delay() - before;
        wall += seconds_of(CLOCK_MONOTONIC_RAW) - begin;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d: %.6f %.6f %ld\n", rank, wall, delay, preempted);
    MPI_Finalize();
    return 0;
}
