/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank's part of the ocean: a strip of rows, and the operations on it. This file does not use
 * MPI.
 *
 * The rows lie around the globe, so that the last one borders on the first; the columns end at the
 * poles, where everything is 0. The operator is that of an implicit step of a diffusion:
 * (A u)(i, j) = 5 u(i, j) - u(i-1, j) - u(i+1, j) - u(i, j-1) - u(i, j+1). It is symmetric, and its
 * eigenvalues lie between 1 and 9 on any grid, which bounds the convergence of conjugate gradients.
 */
#ifndef OCEAN_CG_STRIP_H
#define OCEAN_CG_STRIP_H

#include <stdbool.h>
#include <stddef.h>

/* The ratio of the operator's largest eigenvalue to its smallest is at most this. */
#define CONDITION 9.0

typedef struct strip {
    int columns, rows;       /* own points */
    int first_row, all_rows; /* of the whole ocean, from 0 */
    size_t stride;           /* columns + 2: the points and both poles */
} strip;

/* The strip of rank `rank` of `size` in an ocean of `all_rows` rows, at least one for each rank. */
strip strip_of(int rank, int size, int columns, int all_rows);

/* Number of values of a vector: own rows, and a row of either neighbour. */
size_t strip_values(const strip *s);

/* Position in a vector of the first point of a row: 1 to `rows` are own, 0 and rows + 1 those of
 * the previous and the next neighbour (the halo). */
static inline size_t strip_row(const strip *s, int row)
{
    return (size_t)row * s->stride + 1;
}

/* result = A u, on own rows; needs the halo of `u`. */
void strip_apply(const strip *s, const double *u, double *result);

/* The sum of u v over own points. */
double strip_dot(const strip *s, const double *u, const double *v);

/* The solution for which the right-hand side is constructed, and that right-hand side; with the
 * halo. */
void strip_solution(const strip *s, double *u);
void strip_right_hand_side(const strip *s, double *b);

#endif
