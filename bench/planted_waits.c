/* SPDX-License-Identifier: BSD-3-Clause */
/* Waits of known length: rank 0 computes for a random time before each message, rank 1 waits for it
 * meanwhile. Both read the clock of the machine immediately before their calls, so that the true
 * length of each wait is known: how much later MPI_Send is called than MPI_Recv. Rank 0 prints it
 * in nanoseconds, one a line, in the order of the messages.
 *
 * usage: planted_waits NUMBER SEED, two ranks */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Planted delays: 5 us to 2 ms. */
#define SHORTEST 5000
#define LONGEST  2000000

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_RAW, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void compute(int64_t nanoseconds)
{
    const int64_t begin = now();
    while (now() - begin < nanoseconds) {
    }
}

/* @return when the call that sends or receives was made */
static int64_t exchange(int rank, unsigned *seed)
{
    const int64_t delay = SHORTEST + rand_r(seed) % (LONGEST - SHORTEST);
    char byte = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        compute(delay);
    }
    const int64_t begin = now();
    if (rank == 0) {
        MPI_Send(&byte, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(&byte, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return begin;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int number = argc > 2 ? atoi(argv[1]) : 0;
    unsigned seed = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    int64_t *begins = calloc((size_t)number + 1, sizeof *begins);
    int64_t *others = calloc(2 * (size_t)number + 1, sizeof *others);
    if (begins == NULL || others == NULL || number < 1) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int i = 0; i < number; i++) {
        begins[i] = exchange(rank, &seed);
    }
    MPI_Gather(begins, number, MPI_INT64_T, others, number, MPI_INT64_T, 0, MPI_COMM_WORLD);
    for (int i = 0; i < number && rank == 0; i++) {
        printf("%lld\n", (long long)(begins[i] - others[number + i]));
    }
    free(begins);
    free(others);
    MPI_Finalize();
    return 0;
}
