/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with the marks of carried.h.
 *
 * usage: program exact|late|flood|wrong
 *
 *   exact  marks that nest, in several threads and domains
 *   late   600 steps of 2 ms, of which rank 1 takes 10 ms in 40; prints what each rank
 *          needed for its work
 *   flood  many short marks
 *   wrong  marks that are not closed, closed twice, cross each other and threads
 */
#include "carried.h"

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { RANKS = 2, STEPS = 600, FIRST_LATE = 300, LATE = 40, FLOOD = 2000000 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void sleep_for(double seconds)
{
    const struct timespec time = {0, (long)(seconds * 1e9)};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

static void recursive(int depth)
{
    carried_begin(OUTSIDE, "recursive");
    if (depth > 1) {
        recursive(depth - 1);
    }
    carried_end(OUTSIDE);
}

static void *in_thread(void *nothing)
{
    carried_begin(OUTSIDE, "in a thread");
    carried_begin(SOLVER, "inside");
    carried_end(SOLVER);
    carried_end(OUTSIDE);
    return nothing;
}

static void exact(void)
{
    pthread_t thread;
    for (int i = 0; i < 10; i++) {
        carried_begin(OUTSIDE, "step");
        for (int j = 0; j < 3; j++) {
            carried_begin(SOLVER, "multiply");
            MPI_Barrier(MPI_COMM_WORLD);
            carried_end(SOLVER);
        }
        carried_end(OUTSIDE);
    }
    recursive(3);
    carried_forms();
    for (int i = 0; i < 5; i++) {
        const uint64_t mark = carried_start("started");
        carried_begin(OUTSIDE, "in started");
        carried_end(OUTSIDE);
        carried_stop(mark);
    }
    pthread_create(&thread, NULL, in_thread, NULL);
    pthread_join(thread, NULL);
}

static void late(int rank)
{
    double most = 0, needed = 0, all[RANKS] = {0};
    for (int i = 0; i < STEPS; i++) {
        const int is_late = rank == 1 && i >= FIRST_LATE && i < FIRST_LATE + LATE;
        carried_begin(OUTSIDE, "step");
        carried_begin(OUTSIDE, "assemble");
        const double begin = now();
        sleep_for(is_late ? 10e-3 : 2e-3);
        needed += now() - begin;
        carried_end(OUTSIDE);
        MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        carried_end(OUTSIDE);
    }
    MPI_Gather(&needed, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        fprintf(stderr, "needed %.6f %.6f\n", all[0], all[1]);
    }
}

static void flood(int rank)
{
    carried_begin(OUTSIDE, "outer");
    const double begin = now();
    for (int i = 0; i < FLOOD; i++) {
        carried_begin(OUTSIDE, "short");
        carried_end(OUTSIDE);
    }
    if (rank == 0) {
        fprintf(stderr, "%.1f ns a mark\n", (now() - begin) / FLOOD * 1e9);
    }
    carried_end(OUTSIDE);
}

static void *stop_elsewhere(void *mark)
{
    carried_stop(*(uint64_t *)mark);
    return NULL;
}

static void wrong(void)
{
    carried_end(OUTSIDE); /* without a begin */
    for (int i = 0; i < 3; i++) {
        carried_begin(SOLVER, "crossing");
        carried_begin(OUTPUT, "crossed");
        carried_end(SOLVER);
        carried_end(OUTPUT);
    }
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        uint64_t mark = carried_start("elsewhere");
        pthread_create(&thread, NULL, stop_elsewhere, &mark);
        pthread_join(thread, NULL);
    }
    for (int i = 0; i < 3; i++) {
        const uint64_t first = carried_start("first"), second = carried_start("second");
        carried_stop(first);
        carried_stop(second);
        carried_stop(second);
    }
    carried_begin(OUTSIDE, "after");
    carried_end(OUTSIDE);
    carried_begin(OUTSIDE, "never closed");
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    int rank, provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(mode, "exact") == 0) {
        exact();
    } else if (strcmp(mode, "late") == 0) {
        late(rank);
    } else if (strcmp(mode, "flood") == 0) {
        flood(rank);
    } else if (strcmp(mode, "wrong") == 0) {
        wrong();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%s is done\n", mode);
    }
    MPI_Finalize();
    return 0;
}
