/* SPDX-License-Identifier: BSD-3-Clause */
/* Fences, which synchronize all processes of a window. */
#include "pattern.h"
#include "window.h"

static void late_fence(const context *c)
{
    MPI_Win window = window_allocate();
    MPI_Win_fence(0, window);
    if (c->rank == last_rank(c))
        delay(c);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    window_free(&window);
}

/* The last rank's put to rank 0 begins while rank 0 is already in its fence. */
static void late_operation(const context *c)
{
    MPI_Win window = window_allocate();
    MPI_Win_fence(0, window);
    if (c->rank == last_rank(c)) {
        delay(c);
        window_put(window, 0);
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    window_free(&window);
}

const pattern fence_patterns[] = {{"fence", "mpi_rma_wait_at_fence", 2, late_fence,
                                   "all wait in MPI_Win_fence for the last rank"},
                                  {"early_fence", "mpi_rma_early_fence", 2, late_operation,
                                   "rank 0 is in MPI_Win_fence before the last rank puts to it"},
                                  {0}};
