/* SPDX-License-Identifier: BSD-3-Clause */
/* A rectangular part of the grid on which the Poisson equation is solved, with the red-black SOR
 * sweep over it. This file does not use MPI: the same code computes a process's block and the
 * serial solution for the verification of the parallel result.
 *
 * The problem: -laplace(u) = f on the unit square, u = 0 on its border, discretized with the
 * five-point stencil on nx x ny interior points. f is chosen such that the solution is
 * sin(pi x) sin(pi y). */
#ifndef SOR_FIELD_H
#define SOR_FIELD_H

#include <stdbool.h>
#include <stddef.h>

typedef struct problem {
    int nx, ny;   /* interior points of the whole grid in x and y */
    double omega; /* relaxation factor */
} problem;

typedef struct field {
    int x_begin, y_begin;  /* position of its first own point in the whole grid, from 0 */
    int columns, rows;     /* own points */
    size_t stride;         /* columns + 2: own points and one halo point at either side */
    double *u;             /* (rows + 2) x stride values, row by row, halo included */
    double *sin_x, *sin_y; /* sin(pi x) per column, sin(pi y) per row */
    double x_weight, y_weight, centre_weight; /* coefficients of the stencil */
} field;

/* The red points are those with an even sum of their positions in the whole grid. */
typedef enum colour { RED = 0, BLACK = 1 } colour;

/* The relaxation factor with the fastest convergence for this grid (Young's formula). */
double problem_best_omega(int nx, int ny);

/* Creates a field of zeroes. Returns false if there is not enough memory; release it with
 * field_release (also after a failure). */
bool field_create(field *f, const problem *p, int x_begin, int y_begin, int columns, int rows);
void field_release(field *f);

/* The value at own point (column, row), counted from 1; 0 and columns + 1 (rows + 1) are the halo.
 */
static inline double *field_at(const field *f, int column, int row)
{
    return &f->u[(size_t)row * f->stride + (size_t)column];
}

/* Relaxes the points of one colour in `rows` rows from `first_row` (counted from 1). */
void field_sweep(field *f, colour c, double omega, int first_row, int rows);

/* The largest absolute residual |f + laplace(u)| over the own points. A maximum, not a sum, so that
 * the parallel result does not depend on the order of the reduction. */
double field_residual(const field *f);

/* The largest absolute difference from the analytical solution. */
double field_error(const field *f);

#endif
