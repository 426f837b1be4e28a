/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes in a function without MPI calls, called in turn with one that makes all of them, and
 * tells how long it was in each: check_hidden.py compares that with what was recorded.
 *
 *   hidden RESULT [wrapped]   RESULT: a file is written for each rank
 *
 * wrapped: halo() makes its calls through functions of its own. */
#include "cpu_use.h"

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 15, ITEMS = 4096 };
static double in_compute, in_halo, cpu_of_compute;
static double sent[ITEMS], received[ITEMS];

static NOINLINE void compute(double cpu)
{
    in_compute += use_cpu(cpu);
    cpu_of_compute += cpu;
}

static NOINLINE void receive(int peer, MPI_Request *request)
{
    MPI_Irecv(received, ITEMS, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, request);
    sink = 0; /* no tail call */
}

static NOINLINE void send(int peer, MPI_Request *request)
{
    MPI_Isend(sent, ITEMS, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, request);
    sink = 0;
}

static NOINLINE void wait_all(MPI_Request requests[2])
{
    MPI_Status statuses[2];
    MPI_Waitall(2, requests, statuses);
    sink = 0;
}

static void pack(void)
{
    for (int i = 0; i < ITEMS; i++) {
        sent[i] = received[i] + i;
    }
}

static NOINLINE void halo(int peer, int is_wrapped)
{
    const double begin = now(CLOCK_MONOTONIC);
    MPI_Request requests[2];
    MPI_Status statuses[2];
    if (is_wrapped) {
        receive(peer, &requests[0]);
        pack();
        send(peer, &requests[1]);
        wait_all(requests);
    } else {
        MPI_Irecv(received, ITEMS, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &requests[0]);
        pack();
        MPI_Isend(sent, ITEMS, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, statuses);
    }
    in_halo += now(CLOCK_MONOTONIC) - begin;
}

static NOINLINE void simulate(int rank, int is_wrapped)
{
    for (int step = 0; step < STEPS; step++) {
        compute(rank == 1 ? 0.06 : 0.02);
        halo(1 - rank, is_wrapped);
    }
}

int main(int argc, char **argv)
{
    char path[4096];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    simulate(rank, argc > 2 && strcmp(argv[2], "wrapped") == 0);
    snprintf(path, sizeof path, "%s.%d", argv[1], rank);
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 3);
    } else {
        fprintf(file, "compute %f\nhalo %f\ncpu_of_compute %f\n", in_compute, in_halo,
                cpu_of_compute);
        fclose(file);
    }
    MPI_Finalize();
    return 0;
}
