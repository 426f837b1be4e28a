/* SPDX-License-Identifier: BSD-3-Clause */
/* A cell: a square part of the grid with the arithmetic of the alternating-direction method.
 *
 * A grid point has two components that are coupled. Each sweep solves block-tridiagonal systems
 * along one axis: 2 x 2 blocks, 1 + 2 LAMBDA and the coupling on the diagonal, -LAMBDA beside it.
 * Elimination goes up the axis, substitution down; both go on in the next cell with what the cell
 * passes on. */
#ifndef BT_RMA_CELL_H
#define BT_RMA_CELL_H

#include <stdbool.h>

enum {
    COMPONENTS = 2,
    PASSED_UP = 6,  /* doubles a line: a 2 x 2 block and two components */
    PASSED_DOWN = 2 /* doubles a line */
};

typedef struct cell {
    int points; /* along an axis */
    double *u;  /* (points + 2)^2 grid points, with those around the cell */
    double *d;  /* points^2: right-hand side, then change of u */
    double *c;  /* points^2 blocks of 4: upper diagonal of the eliminated system */
} cell;

/* The sides of a cell: towards lower and higher indices along both axes. */
typedef enum side { LOWER_X, UPPER_X, LOWER_Y, UPPER_Y, SIDES } side;

/* Fills u with the initial values of the cell at place x, y of the grid of cells. Returns false
 * without memory. */
bool cell_create(cell *c, int points, int x, int y);

void cell_destroy(cell *c);

/* The values next to a side: `out` to the neighbour there, `in` from it (NULL: the edge of the
 * grid, where u is 0). points * COMPONENTS doubles. */
void cell_copy_face(const cell *c, side s, double *out);
void cell_set_face(cell *c, side s, const double *in);

/* Computes the right-hand side from u. */
void cell_rhs(cell *c);

/* One cell's part of a sweep along axis 0 or 1. `in`: passed by the cell before (NULL: there is
 * none), `out`: what the next one needs. */
void cell_eliminate(cell *c, int axis, const double *in, double *out);
void cell_substitute(cell *c, int axis, const double *in, double *out);

/* Adds the change to u. */
void cell_add(cell *c);

#endif
