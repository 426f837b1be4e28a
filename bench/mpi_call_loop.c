/* A tight loop of the cheapest MPI calls: what recording adds to a call.
 *
 *   mpi_call_loop p2p COUNT   MPI_Irecv, MPI_Send, MPI_Wait of one byte to itself
 *   mpi_call_loop rma COUNT   MPI_Put of one byte to itself and MPI_Win_flush
 *
 * Prints nanoseconds per call: the median of several loops of COUNT turns, of which a first one
 * only warms up. With a third argument N, of N loops (default 9). */
#include "elapsed.h"

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

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    bool rma = argc > 1 && strcmp(argv[1], "rma") == 0;
    long count = argc > 2 ? atol(argv[2]) : 0;
    int loops = argc > 3 ? atoi(argv[3]) : 9;
    if (argc < 3 || count <= 0 || loops <= 0 || loops > MAX_LOOPS ||
        (!rma && strcmp(argv[1], "p2p") != 0)) {
        fprintf(stderr, "usage: mpi_call_loop p2p|rma COUNT [LOOPS]\n");
        MPI_Finalize();
        return 2;
    }
    MPI_Win window = MPI_WIN_NULL;
    if (rma) {
        void *base;
        MPI_Win_allocate(WINDOW_BYTES, 1, MPI_INFO_NULL, MPI_COMM_SELF, &base, &window);
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    }
    double times[MAX_LOOPS];
    for (int loop = -1; loop < loops; ++loop) {
        double begin = elapsed_seconds();
        if (rma) {
            put(count, window);
        } else {
            exchange(count);
        }
        if (loop >= 0) {
            times[loop] = elapsed_seconds() - begin;
        }
    }
    if (rma) {
        MPI_Win_unlock(0, window);
        MPI_Win_free(&window);
    }
    MPI_Finalize();
    qsort(times, (size_t)loops, sizeof *times, compare);
    printf("%.3f ns per call\n", 1e9 * times[loops / 2] / (double)count / (rma ? 2 : 3));
    return 0;
}
