/* SPDX-License-Identifier: BSD-3-Clause */
/* planted: a program with one known performance problem, chosen by name. */
#include "plant.h"

#include "arguments.h"
#include "duration.h"

#include <getopt.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct plant plants[] = {
    {"hidden-computation", "rank 1 is slow in compute(), which makes no MPI calls; halo() does", 2,
     hidden_computation},
    {"two-causes", "rank 0 is late in assemble(), rank 1 in solve()", 2, two_causes},
    {"ring", "rank 1 is slow in relax(); all wait in a ring of MPI_Sendrecv", 2, ring},
    {"critical-section", "update_table() runs under an exclusive lock of a window", 2,
     critical_section},
    {"small-messages", "odd ranks compute in pack() while their partners wait in MPI_Waitall", 2,
     small_messages},
    {"slow-iterations", "the last rank is slow in react() in a third of the iterations", 2,
     slow_iterations},
    {"circular-calls", "receives and synchronous sends wait for each other because of prepare()", 4,
     circular_calls},
    {NULL, NULL, 0, NULL}};

static const char usage[] =
    "usage: planted [OPTIONS] NAME\n"
    "Runs a program with a known performance problem.\n"
    "  --iterations N        default 40\n"
    "  --base SECONDS        computation of each rank in an iteration (default 0.004)\n"
    "  --excess SECONDS      additional computation of late ranks (default 0.016)\n"
    "  --fix WHAT            removed (the additional computation is left out) or balanced (it is\n"
    "                        spread over all ranks; of critical-section: over several locks)\n"
    "  --bytes N             of a message of small-messages (default 4)\n"
    "  --receive-first       order of the requests in its MPI_Waitall\n"
    "  --list                print the names\n"
    "  --help                print this text\n";

double computation(const struct run *run, int is_late, int late)
{
    switch (run->fix) {
    case FIX_REMOVED:
        return run->base;
    case FIX_BALANCED:
        return run->base + run->excess * late / run->size;
    case FIX_NONE:
        break;
    }
    return run->base + (is_late ? run->excess : 0);
}

/* How long each computation of this rank took. */
static struct {
    double *seconds;
    int count, capacity;
} computations;

void burn(double seconds)
{
    const double begin = monotonic_seconds();
    work_for(seconds);
    if (computations.count == computations.capacity) {
        computations.capacity = computations.capacity == 0 ? 256 : 2 * computations.capacity;
        computations.seconds = realloc(computations.seconds, (size_t)computations.capacity *
                                                                 sizeof *computations.seconds);
        if (computations.seconds == NULL) {
            MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
        }
    }
    computations.seconds[computations.count++] = monotonic_seconds() - begin;
}

/* @return the sum of the k-th computations, each of the rank where it took longest; on rank 0 */
static double longest_computations(void)
{
    int count;
    double sum = 0;
    MPI_Allreduce(&computations.count, &count, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    double *own = calloc((size_t)count + 1, sizeof *own);
    double *longest = calloc((size_t)count + 1, sizeof *longest);
    for (int i = 0; i < computations.count; i++) {
        own[i] = computations.seconds[i];
    }
    MPI_Reduce(own, longest, count, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++) {
        sum += longest[i];
    }
    free(longest);
    free(own);
    free(computations.seconds);
    return sum;
}

/* Options and the name of a plant. @return whether they are right; otherwise `*why` names the
 * reason. */
static bool read_options(struct run *run, const struct plant **plant, bool *help, int argc,
                         char **argv, const char **why)
{
    enum { ITERATIONS = 1, BASE, EXCESS, FIX, BYTES, RECEIVE_FIRST, LIST, HELP };
    static const struct option known[] = {{"iterations", required_argument, NULL, ITERATIONS},
                                          {"base", required_argument, NULL, BASE},
                                          {"excess", required_argument, NULL, EXCESS},
                                          {"fix", required_argument, NULL, FIX},
                                          {"bytes", required_argument, NULL, BYTES},
                                          {"receive-first", no_argument, NULL, RECEIVE_FIRST},
                                          {"list", no_argument, NULL, LIST},
                                          {"help", no_argument, NULL, HELP},
                                          {NULL, 0, NULL, 0}};
    opterr = 0;
    *why = "wrong option or value";
    for (int choice; (choice = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        switch (choice) {
        case ITERATIONS:
            if (!read_count(optarg, 1, 1000000, &run->iterations)) {
                return false;
            }
            break;
        case BASE:
        case EXCESS:
            if (!read_seconds(optarg, choice == BASE ? &run->base : &run->excess)) {
                return false;
            }
            break;
        case FIX:
            run->fix = strcmp(optarg, "balanced") == 0 ? FIX_BALANCED : FIX_REMOVED;
            if (run->fix == FIX_REMOVED && strcmp(optarg, "removed") != 0) {
                return false;
            }
            break;
        case BYTES:
            if (!read_count(optarg, 1, 1 << 26, &run->message_bytes)) {
                return false;
            }
            break;
        case RECEIVE_FIRST:
            run->receive_first = 1;
            break;
        case LIST:
        case HELP:
            *help = true;
            return true;
        default:
            return false;
        }
    }
    *why = "NAME is needed, one of those that --list prints";
    for (*plant = plants; optind < argc && (*plant)->name != NULL; ++*plant) {
        if (strcmp(argv[optind], (*plant)->name) == 0) {
            return optind + 1 == argc;
        }
    }
    return false;
}

static void print_help(void)
{
    fputs(usage, stdout);
    for (const struct plant *plant = plants; plant->name != NULL; plant++) {
        printf("  %-20s %s\n", plant->name, plant->summary);
    }
}

int main(int argc, char **argv)
{
    struct run run = {.iterations = 40, .base = 0.004, .excess = 0.016, .message_bytes = 4};
    const struct plant *plant = NULL;
    bool help = false;
    const char *why = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &run.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &run.size);
    int status = EXIT_SUCCESS;
    if (!read_options(&run, &plant, &help, argc, argv, &why)) {
        status = 2;
    } else if (!help && run.size < plant->least_ranks) {
        status = 2;
        why = "more ranks are needed";
    }
    if (status != EXIT_SUCCESS && run.rank == 0) {
        fprintf(stderr, "planted: %s\n", why);
    }
    if (help && run.rank == 0) {
        print_help();
    }
    if (status == EXIT_SUCCESS && !help) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        plant->run(&run);
        MPI_Barrier(MPI_COMM_WORLD);
        const double duration = MPI_Wtime() - begin, longest = longest_computations();
        if (run.rank == 0) {
            printf("planted: %s took %.6f s, %.6f s of it computation of the slowest rank\n",
                   plant->name, duration, longest);
        }
    }
    MPI_Finalize();
    return status;
}
