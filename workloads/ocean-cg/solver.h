/* SPDX-License-Identifier: BSD-3-Clause */
/* Conjugate gradients in the form of Chronopoulos and Gear: one global sum in each iteration. */
#ifndef OCEAN_CG_SOLVER_H
#define OCEAN_CG_SOLVER_H

#include "halo.h"

typedef struct solver {
    halo halo;        /* its vector is A times the residual */
    double *solution; /* the current approximation */
    double *residual;
    double *direction;     /* the search direction of the solution */
    double *slope;         /* A times the search direction */
    double matvec_seconds; /* minimum duration of the product A times residual on this rank */
    bool busy;             /* whether to compute for that time instead of sleeping */
} solver;

/* Prepares to solve for the right-hand side of strip.h, starting from 0. Collective. Returns false,
 * on every rank, if there is not enough memory; solver_destroy may be called in any case. */
bool solver_create(solver *s, int columns, int all_rows, bool barrier);
void solver_destroy(solver *s);

/* Iterates `iterations` times, or fewer if it converges before. Collective. Returns the number of
 * iterations. */
int solver_run(solver *s, int iterations);

/* Returns whether the error is within the bound for this number of iterations. Collective; the same
 * on every rank. Overwrites the vectors of the iteration. */
bool solver_is_right(solver *s, int iterations);

#endif
