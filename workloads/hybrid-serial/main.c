/* SPDX-License-Identifier: BSD-3-Clause */
/* hybrid-serial: time steps, each with a part that only the master thread of a process executes
 * (`physics`) and one that its OpenMP threads share (`dynamics`), then a sum over all processes
 * (modelled on REMO; Wolf 2002, section 5.3). While the master is outside of parallel regions, the
 * other threads are idle. The result is compared with that of a serial computation. */
#include "arguments.h"
#include "duration.h"

#include <getopt.h>
#include <mpi.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { SUCCESS = 0, FAILURE = 1, WRONG_USAGE = 2 };

typedef struct options {
    int points, steps;
    double serial, parallel; /* seconds of a step: of the master; of all threads together */
    bool help;
} options;

static const char usage[] =
    "usage: hybrid-serial [OPTIONS]\n"
    "Time steps that are parallel in part, by MPI processes with OpenMP threads.\n"
    "  --points N          of each process (default 64)\n"
    "  --steps N           (default 20)\n"
    "  --serial SECONDS    time of a step on the master alone, asleep (default 0.004)\n"
    "  --parallel SECONDS  time of a step, shared by the threads (default 0.008)\n"
    "  --help              print this text\n";

/* Returns false, with the reason in `why`, for a wrong argument. */
static bool read_options(options *o, int argc, char **argv, char *why, size_t why_size)
{
    static const struct option known[] = {
        {"points", required_argument, NULL, 'p'}, {"steps", required_argument, NULL, 'n'},
        {"serial", required_argument, NULL, 's'}, {"parallel", required_argument, NULL, 't'},
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}};
    *o = (options){.points = 64, .steps = 20, .serial = 4e-3, .parallel = 8e-3};
    opterr = 0;
    int choice;
    bool valid = true;
    while (valid && (choice = getopt_long(argc, argv, "+", known, NULL)) != -1) {
        switch (choice) {
        case 'p':
            valid = read_count(optarg, 1, 1000000, &o->points);
            break;
        case 'n':
            valid = read_count(optarg, 0, 1000000, &o->steps);
            break;
        case 's':
            valid = read_seconds(optarg, &o->serial);
            break;
        case 't':
            valid = read_seconds(optarg, &o->parallel);
            break;
        case 'h':
            o->help = true;
            break;
        default:
            valid = false;
        }
    }
    if (!valid || optind < argc)
        snprintf(why, why_size, "wrong argument \"%s\"", argv[valid ? optind : optind - 1]);
    return valid && optind == argc;
}

/* One step of a point; whole numbers, so that the order of the sum does not matter. */
static unsigned advance(unsigned state)
{
    return state * 1664525u + 1013904223u;
}

static __attribute__((noinline)) void physics(const options *o, unsigned *state)
{
    sleep_for(o->serial);
    for (int i = 0; i < o->points; i++)
        state[i] = advance(state[i]);
}

static __attribute__((noinline)) void dynamics(const options *o, unsigned *state)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < o->points; i++) {
        sleep_for(o->parallel / o->points);
        state[i] = advance(state[i]);
    }
}

static int run(const options *o, int rank, int size)
{
    unsigned *const state = malloc((size_t)o->points * sizeof *state);
    if (state == NULL)
        MPI_Abort(MPI_COMM_WORLD, FAILURE);
    for (int i = 0; i < o->points; i++)
        state[i] = (unsigned)(rank * o->points + i);
    unsigned sum = 0, expected = 0;
    for (int step = 0; step < o->steps; step++) {
        unsigned own = 0;
        physics(o, state);
        dynamics(o, state);
        for (int i = 0; i < o->points; i++)
            own += state[i];
        MPI_Allreduce(&own, &sum, 1, MPI_UNSIGNED, MPI_SUM, MPI_COMM_WORLD);
    }
    free(state);
    for (int i = 0; o->steps > 0 && i < size * o->points; i++) {
        unsigned one = (unsigned)i;
        for (int step = 0; step < 2 * o->steps; step++)
            one = advance(one);
        expected += one;
    }
    if (rank == 0)
        printf("hybrid-serial: %d points, %d steps, %s\n", size * o->points, o->steps,
               sum == expected ? "correct" : "wrong");
    return sum == expected ? SUCCESS : FAILURE;
}

int main(int argc, char **argv)
{
    int provided, rank, size;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    options o;
    char why[256];
    int status = SUCCESS;
    if (!read_options(&o, argc, argv, why, sizeof why)) {
        if (rank == 0)
            fprintf(stderr, "hybrid-serial: %s (try --help)\n", why);
        status = WRONG_USAGE;
    } else if (o.help) {
        if (rank == 0)
            fputs(usage, stdout);
    } else {
        status = run(&o, rank, size);
    }
    MPI_Finalize();
    return status;
}
