/* SPDX-License-Identifier: BSD-3-Clause */
/* The iteration: sweep over the red points, exchange halos, sweep over the black ones, exchange. */
#ifndef SOR_SOLVER_H
#define SOR_SOLVER_H

#include "halo.h"
#include "options.h"

typedef struct solution {
    int iterations;       /* number of completed iterations */
    double residual;      /* after the last iteration, over the whole grid */
    double compute_time;  /* seconds that this process spent in its sweeps */
    double exchange_time; /* seconds that this process spent in exchanges of halos */
} solution;

/* Called on every process with each computed residual. */
typedef void solver_progress(int iteration, double residual, int rank);

/* Solves the problem of `g` in place. Collective. Returns false, on every process, if there is not
 * enough memory. */
bool solver_run(grid *g, const options *o, solver_progress *progress, solution *result);

#endif
