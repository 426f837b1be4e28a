/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid.h"

/* First of the points that part `k` of `parts` owns when `points` are distributed evenly. */
static int part_begin(int points, int parts, int k)
{
    return (int)((long long)points * k / parts);
}

void grid_block_of(const grid *g, int rank, int *x_begin, int *y_begin, int *columns, int *rows)
{
    int coords[2];
    MPI_Cart_coords(g->comm, rank, 2, coords);
    *y_begin = part_begin(g->whole.ny, g->processes[0], coords[0]);
    *rows = part_begin(g->whole.ny, g->processes[0], coords[0] + 1) - *y_begin;
    *x_begin = part_begin(g->whole.nx, g->processes[1], coords[1]);
    *columns = part_begin(g->whole.nx, g->processes[1], coords[1] + 1) - *x_begin;
}

static int rounded_up(int dividend, int divisor)
{
    return (dividend + divisor - 1) / divisor;
}

const char *grid_create(grid *g, problem whole)
{
    *g = (grid){.whole = whole, .comm = MPI_COMM_NULL};
    MPI_Comm_size(MPI_COMM_WORLD, &g->size);
    MPI_Dims_create(g->size, 2, g->processes);
    if (g->processes[0] > whole.ny || g->processes[1] > whole.nx)
        return "the grid has fewer points than processes in one of its dimensions";

    const int periodic[2] = {0, 0};
    MPI_Cart_create(MPI_COMM_WORLD, 2, g->processes, periodic, 0, &g->comm);
    MPI_Comm_set_name(g->comm, "process grid");
    MPI_Comm_rank(g->comm, &g->rank);
    MPI_Cart_shift(g->comm, 0, 1, &g->neighbour[SOUTH], &g->neighbour[NORTH]);
    MPI_Cart_shift(g->comm, 1, 1, &g->neighbour[WEST], &g->neighbour[EAST]);

    const int most_rows = rounded_up(whole.ny, g->processes[0]);
    const int most_columns = rounded_up(whole.nx, g->processes[1]);
    g->longest_edge = most_rows > most_columns ? most_rows : most_columns;

    int x_begin, y_begin, columns, rows;
    grid_block_of(g, g->rank, &x_begin, &y_begin, &columns, &rows);
    int enough = field_create(&g->block, &whole, x_begin, y_begin, columns, rows);
    MPI_Allreduce(MPI_IN_PLACE, &enough, 1, MPI_INT, MPI_LAND, g->comm);
    return enough ? NULL : "not enough memory for a grid of this size";
}

void grid_release(grid *g)
{
    field_release(&g->block);
    if (g->comm != MPI_COMM_NULL)
        MPI_Comm_free(&g->comm);
}
