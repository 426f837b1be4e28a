/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that compute longer than others: in a function without MPI calls, in two functions, in a
 * ring, and in some iterations only. */
#include "halo_exchange.h"

#include <fermata/fermata.h>

#include <mpi.h>

__attribute__((noinline)) static void compute(double seconds)
{
    burn(seconds);
}

void hidden_computation(const struct run *run)
{
    for (int i = 0; i < run->iterations; i++) {
        FERMATA_PHASE_SCOPE("iteration");
        compute(computation(run, run->rank == 1, 1));
        halo(run);
    }
}

__attribute__((noinline)) static void assemble(double seconds)
{
    burn(seconds);
}

__attribute__((noinline)) static void solve(double seconds)
{
    burn(seconds);
}

void two_causes(const struct run *run)
{
    double norm = 0;
    for (int i = 0; i < run->iterations; i++) {
        FERMATA_PHASE_SCOPE("iteration");
        assemble(computation(run, run->rank == 0, 1));
        MPI_Allreduce(MPI_IN_PLACE, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        solve(computation(run, run->rank == 1, 1) / 2);
        MPI_Allreduce(MPI_IN_PLACE, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

__attribute__((noinline)) static void relax(double seconds)
{
    burn(seconds);
}

void ring(const struct run *run)
{
    double value = run->rank, received;
    const int left = (run->rank + run->size - 1) % run->size, right = (run->rank + 1) % run->size;
    for (int i = 0; i < run->iterations; i++) {
        FERMATA_PHASE_SCOPE("iteration");
        relax(computation(run, run->rank == 1, 1));
        MPI_Sendrecv(&value, 1, MPI_DOUBLE, right, 0, &received, 1, MPI_DOUBLE, left, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

__attribute__((noinline)) static void react(double seconds)
{
    burn(seconds);
}

void slow_iterations(const struct run *run)
{
    /* The middle third, two iterations longer: 25 to 44 of 60. */
    const int first = run->iterations * 25 / 60, last = run->iterations * 44 / 60;
    for (int i = 0; i < run->iterations; i++) {
        FERMATA_PHASE_SCOPE("iteration");
        const int is_costly = i >= first && i <= last;
        react(is_costly ? computation(run, run->rank == run->size - 1, 1) : run->base);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}
