/* SPDX-License-Identifier: BSD-3-Clause */
/* Planted causes of waiting among threads of OpenMP, of one kind each, and the same program with
 * the cause removed. Nothing is marked, and nothing sleeps. Prints how long the steps took.
 *
 * usage: planted_threads KIND [fixed], two threads */
#include "planted_parts.h"

#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static double best;

static void keep(double value)
{
    best = value > best ? value : best;
}

/* What a critical construct encloses without need. */
static void critical(bool fixed)
{
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < 800; i++) {
        double value = prepare(500000);
        if (fixed) {
            value += late_part(1500000);
#pragma omp critical(best)
            keep(value);
        } else {
#pragma omp critical(best)
            keep(value + late_part(1500000));
        }
    }
}

/* A part that the master executes alone. */
static void serial(bool fixed)
{
    for (int i = 0; i < 150; i++) {
        if (!fixed) {
            keep(late_part(4000000));
            keep(late_part(4000000));
        }
#pragma omp parallel
        {
            double value = prepare(6000000) + (fixed ? late_part(4000000) : 0);
#pragma omp critical(best)
            keep(value);
        }
    }
}

/* A thread with more work than the other. */
static void team(bool fixed)
{
    for (int i = 0; i < 200; i++) {
#pragma omp parallel
        {
            double value = prepare(3000000);
            value += late_part(omp_get_thread_num() == 1 && !fixed ? 8000000 : 800000);
#pragma omp critical(best)
            keep(value);
        }
    }
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
    const bool fixed = argc > 2;
    omp_set_num_threads(2);
    const double begin = omp_get_wtime();
    if (strcmp(kind, "critical") == 0) {
        critical(fixed);
    } else if (strcmp(kind, "serial") == 0) {
        serial(fixed);
    } else if (strcmp(kind, "team") == 0) {
        team(fixed);
    } else {
        fputs("usage: planted_threads KIND [fixed]\n", stderr);
        return 2;
    }
    printf("steps %.6f (%g)\n", omp_get_wtime() - begin, best);
    return 0;
}
