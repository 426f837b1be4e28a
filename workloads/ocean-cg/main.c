/* SPDX-License-Identifier: BSD-3-Clause */
/* ocean-cg: the solver for the surface pressure of an ocean model by conjugate gradients, with
 * halos that are exchanged by one-sided communication, modelled on the miniapp CGPOP as studied in
 * [M.-A. Hermanns, Understanding the formation of wait states in one-sided communication, 2017,
 * section 5.3].
 *
 *   matvec - barrier (or none) - post, start, put, complete, wait - sums over all ranks - vectors
 *
 * The parts are marked with fermata's interface for programs. On request, matvec takes longer on
 * some ranks. */
#include "arguments.h"
#include "solver.h"

#include <getopt.h>
#include <stdio.h>

enum { SUCCESS = 0, FAILURE = 1, WRONG_USAGE = 2 };

typedef struct options {
    int columns, rows, iterations;
    double matvec;    /* seconds */
    double imbalance; /* additional duration on this rank, in percent */
    bool no_barrier, busy, help;
} options;

static const char usage[] =
    "usage: ocean-cg [OPTIONS]\n"
    "Solves an elliptic equation on an ocean around the globe by conjugate gradients; needs 2 "
    "ranks\n"
    "or more.\n"
    "  --size NXxNY         points from pole to pole and around the globe (default 128x256)\n"
    "  --iterations N       stop after N iterations (default 20); convergence takes about 45\n"
    "  --no-barrier         no barrier before each exchange of halos\n"
    "  --matvec SECONDS     time that matvec takes in addition to its arithmetic (default 0.005)\n"
    "  --imbalance P[:R,..] matvec takes P percent longer on ranks R (default: the last)\n"
    "  --busy               compute for this time; default: sleep\n"
    "  --help               print this text\n";

/* Returns false, with the reason in `why`, for a wrong argument. */
static bool read_options(options *o, int argc, char **argv, int rank, int size, char *why,
                         size_t why_size)
{
    enum { SIZE = 1, ITERATIONS, NO_BARRIER, MATVEC, IMBALANCE, BUSY, HELP };
    static const struct option known[] = {{"size", required_argument, NULL, SIZE},
                                          {"iterations", required_argument, NULL, ITERATIONS},
                                          {"no-barrier", no_argument, NULL, NO_BARRIER},
                                          {"matvec", required_argument, NULL, MATVEC},
                                          {"imbalance", required_argument, NULL, IMBALANCE},
                                          {"busy", no_argument, NULL, BUSY},
                                          {"help", no_argument, NULL, HELP},
                                          {NULL, 0, NULL, 0}};
    *o = (options){.columns = 128, .rows = 256, .iterations = 20, .matvec = 0.005};
    opterr = 0;
    int choice;
    while ((choice = getopt_long(argc, argv, "+:", known, NULL)) != -1) {
        const char *expected = NULL;
        switch (choice) {
        case SIZE:
            if (!read_size(optarg, &o->columns, &o->rows))
                expected = "--size needs two positive numbers, as in 200x100";
            break;
        case ITERATIONS:
            if (!read_count(optarg, 1, 1000000, &o->iterations))
                expected = "--iterations needs a number from 1 to 1000000";
            break;
        case NO_BARRIER:
            o->no_barrier = true;
            break;
        case MATVEC:
            if (!read_seconds(optarg, &o->matvec))
                expected = "--matvec needs seconds from 0 to 3600";
            break;
        case IMBALANCE:
            if (!read_imbalance(optarg, rank, size, &o->imbalance))
                expected = "--imbalance needs a percentage and, after a colon, ranks of this run, "
                           "as in 50:0,2";
            break;
        case BUSY:
            o->busy = true;
            break;
        case HELP:
            o->help = true;
            break;
        case ':':
            snprintf(why, why_size, "%s needs a value", argv[optind - 1]);
            return false;
        default:
            snprintf(why, why_size, "unknown option %s", argv[optind - 1]);
            return false;
        }
        if (expected != NULL) {
            snprintf(why, why_size, "%s, not \"%s\"", expected, optarg);
            return false;
        }
    }
    if (optind < argc) {
        snprintf(why, why_size, "unexpected argument \"%s\"", argv[optind]);
        return false;
    }
    if (size < 2 || o->rows < size) {
        snprintf(why, why_size, "needs 2 ranks or more, and a row for each of them");
        return o->help;
    }
    return true;
}

static int run(const options *o, int rank, int size)
{
    solver s;
    if (!solver_create(&s, o->columns, o->rows, !o->no_barrier)) {
        if (rank == 0)
            fprintf(stderr, "ocean-cg: not enough memory\n");
        solver_destroy(&s);
        return FAILURE;
    }
    s.matvec_seconds = o->matvec * (1.0 + o->imbalance / 100.0);
    s.busy = o->busy;
    const int iterations = solver_run(&s, o->iterations);
    const bool right = solver_is_right(&s, iterations);
    if (rank == 0)
        printf("ocean-cg: %d ranks, %d iterations, %s\n", size, iterations,
               right ? "the solution is right" : "the solution is wrong");
    solver_destroy(&s);
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
    int status = SUCCESS;
    if (!read_options(&o, argc, argv, rank, size, why, sizeof why)) {
        if (rank == 0)
            fprintf(stderr, "ocean-cg: %s (try --help)\n", why);
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
