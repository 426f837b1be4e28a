/* SPDX-License-Identifier: BSD-3-Clause */
#include "window.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

MPI_Win window_allocate(void)
{
    double *memory;
    MPI_Win window;
    MPI_Win_allocate(WINDOW_DOUBLES * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD,
                     &memory, &window);
    memset(memory, 0, WINDOW_DOUBLES * sizeof *memory);
    MPI_Barrier(MPI_COMM_WORLD);
    return window;
}

MPI_Win window_create(double **memory)
{
    MPI_Win window;
    *memory = calloc(WINDOW_DOUBLES, sizeof **memory);
    if (*memory == NULL) {
        fprintf(stderr, "patterns: not enough memory for a window\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Win_create(*memory, WINDOW_DOUBLES * sizeof **memory, sizeof **memory, MPI_INFO_NULL,
                   MPI_COMM_WORLD, &window);
    return window;
}

void window_free(MPI_Win *window)
{
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(window);
}

void window_put(MPI_Win window, int target)
{
    static const double values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    MPI_Put(values, 8, MPI_DOUBLE, target, 0, 8, MPI_DOUBLE, window);
}

MPI_Group group_of_ranks(int first, int last)
{
    MPI_Group all, group;
    int range[1][3] = {{first, last, 1}};
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_range_incl(all, 1, range, &group);
    MPI_Group_free(&all);
    return group;
}

MPI_Group group_of_rank(int rank)
{
    return group_of_ranks(rank, rank);
}
