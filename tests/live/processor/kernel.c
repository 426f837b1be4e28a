/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes between barriers; rank 1 also makes the kernel work, in a way that is no recorded call:
 *
 *   kernel ITERATIONS faults|everywhere|calls|waits|nothing
 *
 * faults: it accesses new memory; everywhere: all ranks do, and rank 1 computes longer; calls: it
 * makes system calls; waits: it sleeps in the kernel; nothing: it computes longer. Rank 1 goes on
 * with this until rank 0 has completed its own part, and UNITS more times: it is late by these
 * however late the system runs rank 0. The ranks share the file `arrivals` for this. Each rank
 * prints what getrusage has counted in `sweep`: page faults, preemptions, voluntary switches,
 * microseconds of the kernel (an estimate), and microseconds that it ran (exact). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 2400, CALLS = 400, UNITS = 5 };

static atomic_int *arrived; /* iterations whose sweep rank 0 has completed */

static void share_arrivals(void)
{
    int file = open("arrivals", O_RDWR | O_CREAT, 0600);
    void *memory = MAP_FAILED;
    if (file >= 0 && ftruncate(file, PAGE) == 0) {
        memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    }
    if (memory == MAP_FAILED) {
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    close(file);
    arrived = memory;
}

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

/* What makes rank 1 late, once. */
static void make_late(const char *way)
{
    if (strcmp(way, "faults") == 0) {
        touch_new_memory();
    } else if (strcmp(way, "calls") == 0) {
        for (int i = 0; i < CALLS; i++) {
            char bytes[4096];
            syscall(SYS_getrandom, bytes, sizeof bytes, 0);
        }
    } else if (strcmp(way, "waits") == 0) {
        for (int i = 0; i < 2; i++) {
            struct timespec time = {0, 2000000};
            syscall(SYS_nanosleep, &time, NULL);
        }
    } else {
        compute(0.004);
    }
}

__attribute__((noinline)) static void sweep(const char *way, int iteration, bool is_late)
{
    compute(0.004);
    for (int i = 0; strcmp(way, "everywhere") == 0 && i < UNITS; i++) {
        touch_new_memory();
    }
    for (int left = UNITS; is_late && left > 0;) {
        bool has_arrived = atomic_load(arrived) > iteration;
        make_late(way);
        left -= has_arrived;
    }
    if (!is_late) {
        atomic_store(arrived, iteration + 1);
    }
}

int main(int argc, char **argv)
{
    int rank, iterations = argc > 1 ? atoi(argv[1]) : 20;
    const char *way = argc > 2 ? argv[2] : "faults";
    long counted[4] = {0};
    double ran = 0;
    MPI_Init(&argc, &argv);
    share_arrivals();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < iterations; i++) {
        struct rusage before, after;
        MPI_Barrier(MPI_COMM_WORLD);
        getrusage(RUSAGE_THREAD, &before);
        ran -= cpu_seconds();
        sweep(way, i, rank == 1);
        ran += cpu_seconds();
        getrusage(RUSAGE_THREAD, &after);
        counted[0] += after.ru_minflt - before.ru_minflt;
        counted[1] += after.ru_nivcsw - before.ru_nivcsw;
        counted[2] += after.ru_nvcsw - before.ru_nvcsw;
        counted[3] += 1000000 * (after.ru_stime.tv_sec - before.ru_stime.tv_sec) +
                      after.ru_stime.tv_usec - before.ru_stime.tv_usec;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d: %ld %ld %ld %ld %.0f\n", rank, counted[0], counted[1], counted[2], counted[3],
           1e6 * ran);
    MPI_Finalize();
    return 0;
}
