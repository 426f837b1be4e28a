/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameters, counters and markers. What comes of them stands in check_values.py. */
#include "together.h"

#include <fermata/fermata.h>

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 3 };

/* Numbers at the ends of their range, and counters given numbers of the other kind. */
static void extremes(void)
{
    static fermata_counter_t whole = FERMATA_COUNTER_HERE("whole", "", FERMATA_LEVEL);
    static fermata_counter_t real = FERMATA_COUNTER_HERE("real", NULL, FERMATA_LEVEL);
    fermata_counter_int(&whole, INT64_MIN);
    fermata_counter_int(&whole, INT64_MAX);
    fermata_counter_double(&whole, 1e300);
    fermata_counter_double(&whole, -1e300);
    fermata_counter_double(&whole, 2.75);
    fermata_counter_double(&real, 1e300);
    fermata_counter_int(&real, -3);
}

static void parameters(int step)
{
    static fermata_parameter_t number = FERMATA_PARAMETER_HERE("number");
    FERMATA_PARAMETER_INT("size", -step);
    FERMATA_PARAMETER_UINT("bytes", UINT64_MAX - (uint64_t)step);
    FERMATA_PARAMETER_STRING("name", step == 1 ? "odd" : "even");
    FERMATA_PARAMETER_STRING("nothing", NULL);
    fermata_parameter_int(&number, INT64_MIN);
    fermata_parameter_string(&number, "ignored");
}

int main(int argc, char **argv)
{
    char text[64];
    int rank;
    together_begin();
    FERMATA_BEGIN("program");
    fermata_marker("before MPI_Init");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    extremes();
    for (int step = 0; step < STEPS; step++) {
        FERMATA_ITERATION("step");
        parameters(step);
        FERMATA_COUNTER_DOUBLE("residual", "m", FERMATA_LEVEL, 1.0 / (1 << step));
        FERMATA_COUNTER_INT("cells", "cells", FERMATA_TOTAL, 100 * step + rank);
        snprintf(text, sizeof text, "step %d of rank %d", step, rank);
        fermata_marker(text);
        memset(text, '?', sizeof text);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    FERMATA_ITERATIONS_END("step");
    fermata_marker(NULL);
    if (argc > 1 && strcmp(argv[1], "exit") == 0) {
        together_exit(3);
    }
    MPI_Finalize();
    fermata_marker("behind MPI_Finalize");
    FERMATA_COUNTER_INT("late", "", FERMATA_TOTAL, 1);
    return 0;
}
