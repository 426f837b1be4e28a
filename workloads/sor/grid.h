/* SPDX-License-Identifier: BSD-3-Clause */
/* The distribution of the grid over a two-dimensional arrangement of processes. */
#ifndef SOR_GRID_H
#define SOR_GRID_H

#include "field.h"

#include <mpi.h>

/* The four directions in which a block has neighbours. */
typedef enum side { WEST, EAST, SOUTH, NORTH, SIDES } side;

/* The side of this process as seen by the neighbour at `s`. */
static inline side side_opposite(side s)
{
    return (side)((unsigned)s ^ 1u);
}

typedef struct grid {
    problem whole;
    MPI_Comm comm; /* cartesian; dimension 0 is y, dimension 1 is x; ranks as in MPI_COMM_WORLD */
    int rank, size;
    int processes[2];     /* in y and x */
    int neighbour[SIDES]; /* ranks; MPI_PROC_NULL at the border of the grid */
    int longest_edge;     /* the largest number of points on an edge of any block */
    field block;          /* this process's part */
} grid;

/* The block of rank `rank`: position of its first point and its size. */
void grid_block_of(const grid *g, int rank, int *x_begin, int *y_begin, int *columns, int *rows);

/* Arranges all processes of MPI_COMM_WORLD and creates this process's block, initialized to zero.
 * Collective. Returns NULL, or the reason of a failure (the same text on every process); then only
 * grid_release may be called. */
const char *grid_create(grid *g, problem whole);

/* Collective. */
void grid_release(grid *g);

#endif
