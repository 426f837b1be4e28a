/* SPDX-License-Identifier: BSD-3-Clause */
#include "solver.h"

#include "duration.h"

#include <fermata/fermata.h>

#include <math.h>

/* Sweeps over an unused copy, `percent` percent of a regular sweep: additional work that does not
 * change the result. */
static void compute_in_vain(field *scratch, colour c, double omega, double percent)
{
    long long rows = llround(percent / 100.0 * scratch->rows);
    while (rows > 0) {
        const int now = rows < scratch->rows ? (int)rows : scratch->rows;
        field_sweep(scratch, c, omega, 1, now);
        rows -= now;
    }
}

static void sweep(grid *g, field *scratch, colour c, const options *o)
{
    FERMATA_SCOPE("sweep");
    if (o->work > 0.0)
        sleep_for(o->work * (1.0 + o->imbalance / 100.0));
    field_sweep(&g->block, c, g->whole.omega, 1, g->block.rows);
    if (scratch->u != NULL)
        compute_in_vain(scratch, c, g->whole.omega, o->imbalance);
}

static void exchange(halo *h)
{
    FERMATA_SCOPE("exchange");
    halo_exchange(h);
}

static void half_iteration(halo *h, field *scratch, colour c, const options *o, solution *result)
{
    const double begin = MPI_Wtime();
    sweep(h->grid, scratch, c, o);
    const double computed = MPI_Wtime();
    exchange(h);
    result->compute_time += computed - begin;
    result->exchange_time += MPI_Wtime() - computed;
}

static double global_residual(const grid *g)
{
    FERMATA_SCOPE("residual");
    double residual = field_residual(&g->block);
    MPI_Allreduce(MPI_IN_PLACE, &residual, 1, MPI_DOUBLE, MPI_MAX, g->comm);
    return residual;
}

bool solver_run(grid *g, const options *o, solver_progress *progress, solution *result)
{
    *result = (solution){0};
    field scratch = {0};
    int enough = 1;
    if (o->imbalance > 0.0)
        enough = field_create(&scratch, &g->whole, g->block.x_begin, g->block.y_begin,
                              g->block.columns, g->block.rows);
    MPI_Allreduce(MPI_IN_PLACE, &enough, 1, MPI_INT, MPI_LAND, g->comm);
    halo h;
    if (!enough || !halo_create(&h, o->variant, g)) {
        field_release(&scratch);
        return false;
    }

    bool finished = false;
    for (int iteration = 1; !finished; iteration++) {
        FERMATA_PHASE_SCOPE("iteration");
        half_iteration(&h, &scratch, RED, o, result);
        half_iteration(&h, &scratch, BLACK, o, result);
        finished = iteration == o->iterations;
        if (finished || iteration % o->check_interval == 0) {
            result->residual = global_residual(g);
            progress(iteration, result->residual, g->rank);
            finished = finished || (o->tolerance > 0.0 && result->residual <= o->tolerance);
        }
        result->iterations = iteration;
    }
    halo_destroy(&h);
    field_release(&scratch);
    return true;
}
