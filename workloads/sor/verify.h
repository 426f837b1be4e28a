/* SPDX-License-Identifier: BSD-3-Clause */
/* Verification of the distributed result against a serial computation. */
#ifndef SOR_VERIFY_H
#define SOR_VERIFY_H

#include "solver.h"

/* The largest absolute difference between the distributed solution and a serial solution with the
 * same number of iterations. Collective; the result is the same on every process. Negative if rank
 * 0 does not have enough memory for the whole grid. */
double verify_against_serial(const grid *g, int iterations);

/* The largest absolute difference from the analytical solution. Collective. */
double verify_against_analytical(const grid *g);

#endif
