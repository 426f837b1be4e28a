/* SPDX-License-Identifier: BSD-3-Clause */
/* lock-contention: all ranks update a window of rank 0, which first holds the lock for a long time
 * itself [M.-A. Hermanns, Understanding the formation of wait states in one-sided communication,
 * 2017, section 5.6].
 *
 *   barrier - foo (longer on higher ranks) - lock, update, unlock - foo (short) - barrier
 *
 * Rank 0 calls bar() while it holds the lock. The durations of foo() and bar() can be read from any
 * trace of the MPI calls: each lies between two calls of MPI_Pcontrol. Both functions are marked
 * with fermata's interface for programs. */
#include "arguments.h"
#include "duration.h"

#include <fermata/fermata.h>

#include <getopt.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, FAILURE = 1, WRONG_USAGE = 2 };

/* The MPI standard defines the levels 0, 1 and 2 of MPI_Pcontrol. */
enum { FOO = 10, BAR = 11 };

/* At least 64 bytes: MPICH was observed to corrupt smaller windows. */
enum { LEAST_SLOTS = 8 };

typedef struct options {
    double first, skew, hold, after; /* seconds */
    double scale;
    bool all, two_locks, busy, allocate, help;
} options;

static const char usage[] =
    "usage: lock-contention [OPTIONS]\n"
    "All ranks update a window of rank 0 under an exclusive lock, which rank 0 holds first.\n"
    "  --first SECONDS   foo() of rank 0 before it requests the lock (default 0.5)\n"
    "  --skew SECONDS    additional time of foo() on each next rank (default 0.05)\n"
    "  --hold SECONDS    bar() of rank 0, while it holds the lock (default 2)\n"
    "  --after SECONDS   foo() of all ranks after the lock (default 0.0001)\n"
    "  --all             all ranks call bar() while they hold the lock\n"
    "  --two-locks       ranks with odd numbers update a second window, whose lock is another one\n"
    "  --scale FACTOR    multiplies all of these (default 1)\n"
    "  --busy            compute in foo() and bar(); default: sleep\n"
    "  --window KIND     create (memory of the program, default) or allocate (of the MPI library)\n"
    "  --help            print this text\n";

/* Returns false, with the reason in `why`, for a wrong argument. */
static bool read_options(options *o, int argc, char **argv, char *why, size_t why_size)
{
    enum { FIRST = 1, SKEW, HOLD, AFTER, SCALE, BUSY, WINDOW, ALL, TWO_LOCKS, HELP };
    static const struct option known[] = {{"first", required_argument, NULL, FIRST},
                                          {"skew", required_argument, NULL, SKEW},
                                          {"hold", required_argument, NULL, HOLD},
                                          {"after", required_argument, NULL, AFTER},
                                          {"scale", required_argument, NULL, SCALE},
                                          {"busy", no_argument, NULL, BUSY},
                                          {"window", required_argument, NULL, WINDOW},
                                          {"all", no_argument, NULL, ALL},
                                          {"two-locks", no_argument, NULL, TWO_LOCKS},
                                          {"help", no_argument, NULL, HELP},
                                          {NULL, 0, NULL, 0}};
    *o = (options){.first = 0.5, .skew = 0.05, .hold = 2.0, .after = 100e-6, .scale = 1.0};
    double *const numbers[] = {[FIRST] = &o->first,
                               [SKEW] = &o->skew,
                               [HOLD] = &o->hold,
                               [AFTER] = &o->after,
                               [SCALE] = &o->scale};
    opterr = 0;
    int choice;
    while ((choice = getopt_long(argc, argv, "+:", known, NULL)) != -1) {
        const char *option = argv[optind - 1];
        switch (choice) {
        case FIRST:
        case SKEW:
        case HOLD:
        case AFTER:
        case SCALE:
            if (!read_seconds(optarg, numbers[choice])) {
                snprintf(why, why_size, "--%s needs a number from 0 to 3600, not \"%s\"",
                         known[choice - 1].name, optarg);
                return false;
            }
            break;
        case BUSY:
            o->busy = true;
            break;
        case WINDOW:
            o->allocate = strcmp(optarg, "allocate") == 0;
            if (!o->allocate && strcmp(optarg, "create") != 0) {
                snprintf(why, why_size, "--window is create or allocate, not \"%s\"", optarg);
                return false;
            }
            break;
        case ALL:
            o->all = true;
            break;
        case TWO_LOCKS:
            o->two_locks = true;
            break;
        case HELP:
            o->help = true;
            break;
        case ':':
            snprintf(why, why_size, "%s needs a value", option);
            return false;
        default:
            snprintf(why, why_size, "unknown option %s", option);
            return false;
        }
    }
    if (optind < argc)
        snprintf(why, why_size, "unexpected argument \"%s\"", argv[optind]);
    return optind == argc;
}

static void pass_time(const options *o, int marker, double seconds)
{
    MPI_Pcontrol(marker);
    (o->busy ? work_for : sleep_for)(seconds * o->scale);
    MPI_Pcontrol(marker);
}

static void foo(const options *o, double seconds)
{
    FERMATA_SCOPE("foo");
    pass_time(o, FOO, seconds);
}

static void bar(const options *o)
{
    FERMATA_SCOPE("bar");
    pass_time(o, BAR, o->hold);
}

/* Each rank writes its number plus one to its place in rank 0's window. */
static void update(const options *o, int rank, double *slots, MPI_Win window)
{
    FERMATA_SCOPE("update");
    const double value = rank + 1;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    if (rank == 0) {
        slots[0] = value;
    } else {
        MPI_Put(&value, 1, MPI_DOUBLE, 0, rank, 1, MPI_DOUBLE, window);
    }
    if (rank == 0 || o->all)
        bar(o);
    MPI_Win_unlock(0, window);
}

/* Returns whether the updates of a window, those of each `step`-th rank, have arrived at rank 0. */
static bool is_complete(const double *slots, int first, int step, int size, MPI_Win window)
{
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    bool complete = true;
    for (int rank = first; rank < size; rank += step)
        complete = complete && slots[rank] == rank + 1;
    MPI_Win_unlock(0, window);
    return complete;
}

static void create_window(const options *o, int rank, MPI_Aint bytes, double **slots,
                          MPI_Win *window)
{
    if (o->allocate) {
        MPI_Win_allocate(bytes, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, slots, window);
    } else {
        *slots = malloc((size_t)bytes);
        if (*slots == NULL)
            MPI_Abort(MPI_COMM_WORLD, FAILURE);
        MPI_Win_create(*slots, bytes, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, window);
    }
    MPI_Win_set_name(*window, "updates");
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, *window);
    memset(*slots, 0, (size_t)bytes);
    MPI_Win_unlock(rank, *window);
}

static int run(const options *o, int rank, int size)
{
    const MPI_Aint bytes = (size > LEAST_SLOTS ? size : LEAST_SLOTS) * (MPI_Aint)sizeof(double);
    const int windows = o->two_locks ? 2 : 1;
    double *slots[2] = {NULL, NULL};
    MPI_Win window[2];
    for (int w = 0; w < windows; w++)
        create_window(o, rank, bytes, &slots[w], &window[w]);

    MPI_Barrier(MPI_COMM_WORLD);
    foo(o, o->first + rank * o->skew);
    update(o, rank, slots[rank % windows], window[rank % windows]);
    foo(o, o->after);
    MPI_Barrier(MPI_COMM_WORLD);

    int status = SUCCESS;
    if (rank == 0) {
        for (int w = 0; w < windows; w++) {
            if (!is_complete(slots[w], w, windows, size, window[w]))
                status = FAILURE;
        }
        printf("lock-contention: %d ranks, %s\n", size,
               status == SUCCESS ? "all updates arrived" : "updates are missing");
    }
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int w = 0; w < windows; w++) {
        MPI_Win_free(&window[w]);
        if (!o->allocate)
            free(slots[w]);
    }
    return status;
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
    if (!read_options(&o, argc, argv, why, sizeof why)) {
        if (rank == 0)
            fprintf(stderr, "lock-contention: %s (try --help)\n", why);
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
