/* A tight loop of the cheapest MPI calls: what recording adds to a call.
 *
 *   mpi_call_loop p2p COUNT   MPI_Irecv, MPI_Send, MPI_Wait of one byte to itself
 *   mpi_call_loop rma COUNT   MPI_Put of one byte to itself and MPI_Win_flush
 *   mpi_call_loop locks COUNT MPI_Win_lock (exclusive), MPI_Put of one byte to itself,
 *                             MPI_Win_unlock
 *
 * Prints nanoseconds of processor time per call: the median of several loops of COUNT turns, of
 * which a first one only warms up. With a third argument N, of N loops (default 9). */
#include "processor_time.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LOOPS    99
#define WINDOW_BYTES 64

static void exchange(long count)
{
    char sent = 1, received;
    for (long i = 0; i < count; ++i) {
        MPI_Request request;
        MPI_Irecv(&received, 1, MPI_CHAR, 0, 0, MPI_COMM_SELF, &request);
        MPI_Send(&sent, 1, MPI_CHAR, 0, 0, MPI_COMM_SELF);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void put(long count, MPI_Win window)
{
    char sent = 1;
    for (long i = 0; i < count; ++i) {
        MPI_Put(&sent, 1, MPI_CHAR, 0, 0, 1, MPI_CHAR, window);
        MPI_Win_flush(0, window);
    }
}

static void lock_and_put(long count, MPI_Win window)
{
    char sent = 1;
    for (long i = 0; i < count; ++i) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Put(&sent, 1, MPI_CHAR, 0, 0, 1, MPI_CHAR, window);
        MPI_Win_unlock(0, window);
    }
}

static const struct loop {
    const char *name;
    int calls; /* in each turn */
    bool window;
    bool lock; /* around the loop */
} loops[] = {{"p2p", 3, false, false}, {"rma", 2, true, true}, {"locks", 3, true, false}};

static const struct loop *find_loop(const char *name)
{
    for (size_t i = 0; i < sizeof loops / sizeof *loops; ++i) {
        if (strcmp(name, loops[i].name) == 0) {
            return &loops[i];
        }
    }
    return NULL;
}

static void run(const struct loop *loop, long count, MPI_Win window)
{
    if (!loop->window) {
        exchange(count);
    } else if (loop->lock) {
        put(count, window);
    } else {
        lock_and_put(count, window);
    }
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct loop *loop = argc > 1 ? find_loop(argv[1]) : NULL;
    long count = argc > 2 ? atol(argv[2]) : 0;
    int repeats = argc > 3 ? atoi(argv[3]) : 9;
    if (loop == NULL || count <= 0 || repeats <= 0 || repeats > MAX_LOOPS) {
        fprintf(stderr, "usage: mpi_call_loop p2p|rma|locks COUNT [LOOPS]\n");
        MPI_Finalize();
        return 2;
    }
    MPI_Win window = MPI_WIN_NULL;
    if (loop->window) {
        void *base;
        MPI_Win_allocate(WINDOW_BYTES, 1, MPI_INFO_NULL, MPI_COMM_SELF, &base, &window);
    }
    if (loop->lock) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    }
    double times[MAX_LOOPS];
    for (int i = -1; i < repeats; ++i) {
        double begin = processor_seconds();
        run(loop, count, window);
        if (i >= 0) {
            times[i] = processor_seconds() - begin;
        }
    }
    if (loop->lock) {
        MPI_Win_unlock(0, window);
    }
    if (loop->window) {
        MPI_Win_free(&window);
    }
    MPI_Finalize();
    qsort(times, (size_t)repeats, sizeof *times, compare);
    printf("%.3f ns per call\n", 1e9 * times[repeats / 2] / (double)count / loop->calls);
    return 0;
}
