/* SPDX-License-Identifier: BSD-3-Clause */
/* Creation and release of communicators and windows, which synchronize their processes. */
#include "pattern.h"
#include "window.h"

#include <stdlib.h>

static void late_last_rank(const context *c)
{
    if (c->rank == last_rank(c))
        delay(c);
}

static void comm_dup(const context *c)
{
    MPI_Comm copy;
    late_last_rank(c);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&copy);
}

static void comm_split(const context *c)
{
    MPI_Comm half;
    late_last_rank(c);
    MPI_Comm_split(MPI_COMM_WORLD, c->rank % 2, 0, &half);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&half);
}

static void win_create(const context *c)
{
    double *memory;
    late_last_rank(c);
    MPI_Win window = window_create(&memory);
    window_free(&window);
    free(memory);
}

static void win_allocate(const context *c)
{
    late_last_rank(c);
    MPI_Win window = window_allocate();
    window_free(&window);
}

static void win_free(const context *c)
{
    MPI_Win window = window_allocate();
    late_last_rank(c);
    MPI_Win_free(&window);
}

const pattern management_patterns[] = {
    {"comm_dup", "mpi_comm_wait", 2, comm_dup, "all wait in MPI_Comm_dup for the last rank"},
    {"comm_split", "mpi_comm_wait", 2, comm_split, "all wait in MPI_Comm_split for the last rank"},
    {"win_create", "mpi_rma_wait_at_create", 2, win_create,
     "all wait in MPI_Win_create for the last rank"},
    {"win_allocate", "mpi_rma_wait_at_create", 2, win_allocate,
     "all wait in MPI_Win_allocate for the last rank"},
    {"win_free", "mpi_rma_wait_at_free", 2, win_free, "all wait in MPI_Win_free for the last rank"},
    {0}};
