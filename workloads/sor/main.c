/* SPDX-License-Identifier: BSD-3-Clause */
/* sor: red-black successive over-relaxation for the Poisson equation on a two-dimensional grid of
 * processes, with four ways of exchanging halos and an imbalance on request.
 *
 * The output depends on the problem only: not on the variant, the number of processes or the
 * duration (but see --timing). */
#include "options.h"
#include "solver.h"
#include "verify.h"

#include <math.h>
#include <stdio.h>

enum { SUCCESS = 0, FAILURE = 1, WRONG_USAGE = 2 };

static void print_progress(int iteration, double residual, int rank)
{
    if (rank == 0)
        printf("iteration %6d  residual %.8e\n", iteration, residual);
}

/* Every process's times, in the order of ranks. Collective. */
static void print_timing(const grid *g, const solution *result)
{
    const double mine[2] = {result->compute_time, result->exchange_time};
    if (g->rank != 0) {
        MPI_Send(mine, 2, MPI_DOUBLE, 0, 0, g->comm);
        return;
    }
    double its[2] = {mine[0], mine[1]};
    for (int rank = 0; rank < g->size; rank++) {
        if (rank > 0)
            MPI_Recv(its, 2, MPI_DOUBLE, rank, 0, g->comm, MPI_STATUS_IGNORE);
        printf("rank %3d  compute %8.3f s  exchange %8.3f s\n", rank, its[0], its[1]);
    }
}

/* The discretization error, which a converged solution must not exceed: for this solution the error
 * of the five-point stencil is at most pi^2 / 12 h^2, here rounded up. */
static double discretization_error(const problem *p)
{
    const double h = 1.0 / (fmin(p->nx, p->ny) + 1);
    return h * h;
}

/* Collective. Returns whether the result is correct. */
static bool verify(const grid *g, const options *o, const solution *result)
{
    const double difference = verify_against_serial(g, result->iterations);
    const double error = verify_against_analytical(g);
    const double bound = discretization_error(&g->whole);
    const bool converged = o->tolerance > 0.0 && result->residual <= o->tolerance;
    if (g->rank == 0) {
        printf("largest error against the analytical solution %.8e\n", error);
        if (difference < 0.0)
            fprintf(stderr, "sor: not verified: not enough memory for the serial computation\n");
        else if (difference > 0.0)
            fprintf(stderr, "sor: not verified: differs from the serial computation by %.3e\n",
                    difference);
        else if (converged && error > bound + o->tolerance)
            fprintf(stderr, "sor: not verified: converged, but to an error above %.3e\n", bound);
        else
            printf("verified\n");
    }
    /* Exactly zero: every point is computed by the same operations in the same order. */
    return difference >= 0.0 && difference <= 0.0 && (!converged || error <= bound + o->tolerance);
}

static int solve(const options *o, int rank)
{
    grid g;
    const problem whole = {o->nx, o->ny, problem_best_omega(o->nx, o->ny)};
    const char *impossible = grid_create(&g, whole);
    if (impossible != NULL) {
        if (rank == 0)
            fprintf(stderr, "sor: %s\n", impossible);
        grid_release(&g);
        return WRONG_USAGE;
    }
    if (rank == 0)
        printf("sor: %dx%d points, omega %.6f\n", o->nx, o->ny, whole.omega);

    solution result;
    bool right = solver_run(&g, o, print_progress, &result);
    if (!right && rank == 0)
        fprintf(stderr, "sor: not enough memory\n");
    if (right && rank == 0)
        printf("sor: %d iterations, residual %.8e\n", result.iterations, result.residual);
    if (right && o->timing)
        print_timing(&g, &result);
    if (right && o->verify)
        right = verify(&g, o, &result);
    grid_release(&g);
    return right ? SUCCESS : FAILURE;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    options o;
    char why[256];
    int status;
    if (!options_read(&o, argc, argv, rank, size, why, sizeof why)) {
        if (rank == 0)
            fprintf(stderr, "sor: %s (try --help)\n", why);
        status = WRONG_USAGE;
    } else if (o.help) {
        if (rank == 0)
            fputs(options_usage(), stdout);
        status = SUCCESS;
    } else {
        status = solve(&o, rank);
    }
    MPI_Finalize();
    return status;
}
