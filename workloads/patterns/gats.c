/* SPDX-License-Identifier: BSD-3-Clause */
/* General active target synchronization: post and wait on targets, start and complete on origins.
 * Which call of the access epoch waits for a late post differs between MPI libraries. */
#include "pattern.h"
#include "window.h"

static void access_epoch(MPI_Win window, int first_target, int last_target)
{
    MPI_Group targets = group_of_ranks(first_target, last_target);
    MPI_Win_start(targets, 0, window);
    for (int target = first_target; target <= last_target; target++)
        window_put(window, target);
    MPI_Win_complete(window);
    MPI_Group_free(&targets);
}

static void exposure_epoch(MPI_Win window)
{
    MPI_Group origin = group_of_rank(0);
    MPI_Win_post(origin, 0, window);
    MPI_Win_wait(window);
    MPI_Group_free(&origin);
}

static void late_post(const context *c)
{
    MPI_Win window = window_allocate();
    if (c->rank == 0) {
        access_epoch(window, 1, 1);
    } else if (c->rank == 1) {
        delay(c);
        exposure_epoch(window);
    }
    window_free(&window);
}

static void late_post_of_one(const context *c)
{
    MPI_Win window = window_allocate();
    if (c->rank == 0) {
        access_epoch(window, 1, last_rank(c));
    } else {
        if (c->rank == last_rank(c))
            delay(c);
        exposure_epoch(window);
    }
    window_free(&window);
}

static void early_wait(const context *c)
{
    MPI_Win window = window_allocate();
    if (c->rank == 0) {
        delay(c);
        access_epoch(window, 1, 1);
    } else if (c->rank == 1) {
        exposure_epoch(window);
    }
    window_free(&window);
}

/* The access epoch stays open after its operation has completed. */
static void late_complete(const context *c)
{
    MPI_Win window = window_allocate();
    if (c->rank == 0) {
        MPI_Group target = group_of_rank(1);
        MPI_Win_start(target, 0, window);
        window_put(window, 1);
        delay(c);
        MPI_Win_complete(window);
        MPI_Group_free(&target);
    } else if (c->rank == 1) {
        exposure_epoch(window);
    }
    window_free(&window);
}

const pattern gats_patterns[] = {
    {"late_post", "mpi_rma_sync_late_post", 2, late_post,
     "rank 0's access epoch waits for the post of rank 1"},
    {"late_post_of_one", "mpi_rma_sync_late_post", 3, late_post_of_one,
     "rank 0's access epoch to all others waits for the post of the last rank"},
    {"early_wait", "mpi_rma_early_wait", 2, early_wait,
     "rank 1 waits in MPI_Win_wait for the access epoch of rank 0"},
    {"late_complete", "mpi_rma_late_complete", 2, late_complete,
     "rank 1 waits in MPI_Win_wait for MPI_Win_complete long after rank 0's put"},
    {0}};
