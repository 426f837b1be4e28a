/* SPDX-License-Identifier: BSD-3-Clause */
#include "solver.h"

#include "duration.h"

#include <fermata/fermata.h>

#include <math.h>
#include <stdlib.h>

/* The fraction of the first residual's square below which iterations do not improve the
 * solution. */
static const double converged = 1e-26;

bool solver_create(solver *s, int columns, int all_rows, bool barrier)
{
    *s = (solver){0};
    halo_create(&s->halo, columns, all_rows, barrier);
    const size_t values = strip_values(&s->halo.own);
    s->solution = calloc(values, sizeof(double));
    s->residual = calloc(values, sizeof(double));
    s->direction = calloc(values, sizeof(double));
    s->slope = calloc(values, sizeof(double));
    int enough =
        s->solution != NULL && s->residual != NULL && s->direction != NULL && s->slope != NULL;
    MPI_Allreduce(MPI_IN_PLACE, &enough, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (enough)
        strip_right_hand_side(&s->halo.own, s->residual);
    return enough;
}

void solver_destroy(solver *s)
{
    halo_destroy(&s->halo);
    free(s->solution);
    free(s->residual);
    free(s->direction);
    free(s->slope);
}

static void matvec(solver *s)
{
    FERMATA_SCOPE("matvec");
    strip_apply(&s->halo.own, s->residual, s->halo.vector);
    (s->busy ? work_for : sleep_for)(s->matvec_seconds);
}

/* The squares of the residual: in the Euclidean norm, and in the norm of A. */
static void global_sums(const solver *s, double sums[2])
{
    FERMATA_SCOPE("global_sums");
    sums[0] = strip_dot(&s->halo.own, s->residual, s->residual);
    sums[1] = strip_dot(&s->halo.own, s->residual, s->halo.vector);
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* Performs one step; the halos of all vectors follow from that of A times the residual. */
static void update_vectors(solver *s, double alpha, double beta)
{
    FERMATA_SCOPE("update_vectors");
    const size_t values = strip_values(&s->halo.own);
    for (size_t i = 0; i < values; i++) {
        s->direction[i] = s->residual[i] + beta * s->direction[i];
        s->slope[i] = s->halo.vector[i] + beta * s->slope[i];
        s->solution[i] += alpha * s->direction[i];
        s->residual[i] -= alpha * s->slope[i];
    }
}

int solver_run(solver *s, int iterations)
{
    FERMATA_SCOPE("solve");
    double first = 0.0, last = 0.0, alpha = 0.0;
    int done = 0;
    while (done < iterations) {
        FERMATA_PHASE_SCOPE("iteration");
        double sums[2];
        matvec(s);
        halo_update(&s->halo);
        global_sums(s, sums);
        const double beta = done == 0 ? 0.0 : sums[0] / last;
        alpha = done == 0 ? sums[0] / sums[1] : sums[0] / (sums[1] - beta * sums[0] / alpha);
        update_vectors(s, alpha, beta);
        done++;
        last = sums[0];
        first = done == 1 ? last : first;
        if (last <= converged * first)
            break;
    }
    return done;
}

bool solver_is_right(solver *s, int iterations)
{
    const strip *const own = &s->halo.own;
    double *const error = s->slope, *const exact = s->direction; /* no longer needed */
    strip_solution(own, exact);
    for (size_t i = 0; i < strip_values(own); i++)
        error[i] = s->solution[i] - exact[i];
    double squares[2] = {strip_dot(own, error, error), strip_dot(own, exact, exact)};
    MPI_Allreduce(MPI_IN_PLACE, squares, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    /* The first error is the solution itself, as the iteration starts from 0. In the norm that
     * belongs to A, conjugate gradients divide it by at least this in each iteration. */
    const double root = sqrt(CONDITION);
    const double factor = (root + 1.0) / (root - 1.0);
    const double bound = 2.0 * root * pow(factor, -iterations) + 1e-12;
    return squares[0] <= bound * bound * squares[1];
}
