/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes between barriers; rank 1 also makes the kernel work, in a way that is no recorded call:
 *
 *   kernel ITERATIONS faults|everywhere|calls|waits|nothing
 *
 * faults: it accesses new memory; everywhere: all ranks do, and rank 1 computes longer; calls: it
 * makes system calls; waits: it sleeps in the kernel; nothing: it computes longer. Each rank prints
 * what getrusage has counted in `sweep`: page faults, preemptions, voluntary switches, microseconds
 * of the kernel. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 12000, CALLS = 2000 };

static double cpu_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void compute(double seconds)
{
    double end = cpu_seconds() + seconds;
    volatile double sum = 0;
    while (cpu_seconds() < end) {
        for (int i = 0; i < 20000; i++) {
            sum = sum + 1;
        }
    }
}

static void touch_new_memory(void)
{
    size_t size = (size_t)PAGES * PAGE;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    madvise(memory, size, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < size; i += PAGE) {
        memory[i] = 1;
    }
    munmap(memory, size);
}

__attribute__((noinline)) static void sweep(const char *way, int is_late)
{
    compute(0.004);
    if (strcmp(way, "everywhere") == 0 || (is_late && strcmp(way, "faults") == 0)) {
        touch_new_memory();
    }
    if (is_late && strcmp(way, "calls") == 0) {
        for (int i = 0; i < CALLS; i++) {
            char bytes[4096];
            syscall(SYS_getrandom, bytes, sizeof bytes, 0);
        }
    } else if (is_late && strcmp(way, "waits") == 0) {
        for (int i = 0; i < 10; i++) {
            struct timespec time = {0, 2000000};
            syscall(SYS_nanosleep, &time, NULL);
        }
    } else if (is_late && (strcmp(way, "nothing") == 0 || strcmp(way, "everywhere") == 0)) {
        compute(0.02);
    }
}

int main(int argc, char **argv)
{
    int rank, iterations = argc > 1 ? atoi(argv[1]) : 20;
    const char *way = argc > 2 ? argv[2] : "faults";
    long counted[4] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < iterations; i++) {
        struct rusage before, after;
        MPI_Barrier(MPI_COMM_WORLD);
        getrusage(RUSAGE_THREAD, &before);
        sweep(way, rank == 1);
        getrusage(RUSAGE_THREAD, &after);
        counted[0] += after.ru_minflt - before.ru_minflt;
        counted[1] += after.ru_nivcsw - before.ru_nivcsw;
        counted[2] += after.ru_nvcsw - before.ru_nvcsw;
        counted[3] += 1000000 * (after.ru_stime.tv_sec - before.ru_stime.tv_sec) +
                      after.ru_stime.tv_usec - before.ru_stime.tv_usec;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d: %ld %ld %ld %ld\n", rank, counted[0], counted[1], counted[2], counted[3]);
    MPI_Finalize();
    return 0;
}
