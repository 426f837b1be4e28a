/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes between MPI calls for less than a period of the samples, in functions without MPI calls,
 * and tells how long it was in each: check_short.py compares that with what was recorded.
 *
 *   short RESULT   RESULT: the file that is written
 */
#include "cpu_use.h"

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 400, STEPS_TO_CHECKPOINT = 10 };

static NOINLINE double less(void)
{
    return use_cpu(0.001);
}

static NOINLINE double more(void)
{
    return use_cpu(0.003);
}

static NOINLINE double checkpoint(void)
{
    return use_cpu(0.012);
}

static double in_less, in_more, in_checkpoint;

static NOINLINE void work(int step)
{
    in_less += less();
    in_more += more();
    if (step % STEPS_TO_CHECKPOINT == 0) {
        in_checkpoint += checkpoint();
    }
}

static NOINLINE void simulate(void)
{
    for (int step = 0; step < STEPS; step++) {
        work(step);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    simulate();
    FILE *file = argc == 2 ? fopen(argv[1], "w") : NULL;
    if (file == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 3);
    } else {
        fprintf(file, "less %f %f\nmore %f %f\ncheckpoint %f %f\n", in_less, 0.001 * STEPS, in_more,
                0.003 * STEPS, in_checkpoint, 0.012 * STEPS / STEPS_TO_CHECKPOINT);
        fclose(file);
    }
    MPI_Finalize();
    return 0;
}
