/* Conjugate gradients in the form of Chronopoulos and Gear: one global sum in each iteration. */
#ifndef OCEAN_CG_SOLVER_H
#define OCEAN_CG_SOLVER_H

#include "halo.h"

typedef struct solver {
    halo halo;        /* its vector is A times the residual */
    double *solution; /* as far as it is found */
    double *residual;
    double *direction;     /* in which the solution moves */
    double *slope;         /* A times that */
    double matvec_seconds; /* that A times the residual takes at least on this rank */
    bool busy;             /* to compute for that time instead of sleeping */
} solver;

/* Prepares to solve for the right-hand side of strip.h, starting from 0. Collective. Returns false,
 * on every rank, without memory; solver_destroy may be called in any case. */
bool solver_create(solver *s, int columns, int all_rows, bool barrier);
void solver_destroy(solver *s);

/* Iterates `iterations` times, or fewer if it converges before. Collective. Returns how often. */
int solver_run(solver *s, int iterations);

/* Whether the error is as small as so many iterations must make it. Collective; the same on every
 * rank. Spends the vectors that it was found with. */
bool solver_is_right(solver *s, int iterations);

#endif
