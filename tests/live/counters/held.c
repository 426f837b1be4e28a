/* SPDX-License-Identifier: BSD-3-Clause */
/* A call that takes a planted time: MPI_Reduce_local runs an operation of the program, which
 * computes until the clock has advanced. Prints for each rank the nanoseconds from the begin to the
 * end of the operation, and those around the call: the call takes a time between both.
 *
 * usage: held MILLISECONDS */
#include <mpi.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int64_t wanted, inside;

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void hold(void *in, void *inout, int *length, MPI_Datatype *type)
{
    int64_t begin = now();
    (void)in;
    (void)inout;
    (void)length;
    (void)type;
    do {
        inside = now() - begin;
    } while (inside < wanted);
}

int main(int argc, char **argv)
{
    int rank, in = 1, out = 2;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    wanted = 1000000 * strtoll(argc > 1 ? argv[1] : "100", NULL, 10);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    wanted *= rank + 1;
    MPI_Op_create(hold, 1, &op);
    int64_t begin = now();
    MPI_Reduce_local(&in, &out, 1, MPI_INT, op);
    printf("held %d %lld %lld\n", rank, (long long)inside, (long long)(now() - begin));
    fflush(stdout);
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
