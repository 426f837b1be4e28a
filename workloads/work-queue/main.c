/* SPDX-License-Identifier: BSD-3-Clause */
/* work-queue: all ranks take tasks of varying length from a shared queue, a counter in rank 0's
 * memory that they increment by MPI_Fetch_and_op. Each task increments a second counter in the same
 * window, which must be one at the end. */
#include "arguments.h"
#include "duration.h"

#include <getopt.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, FAILURE = 1, WRONG_USAGE = 2 };

/* The window on rank 0: the next task, then for each task the number of its executions. At least 64
 * bytes: MPICH was observed to corrupt smaller windows. */
enum { NEXT = 0, FIRST_DONE = 8 };

typedef struct options {
    int tasks;
    double mean; /* seconds */
    bool exclusive, busy, help;
} options;

static const char usage[] =
    "usage: work-queue [OPTIONS]\n"
    "All ranks, rank 0 among them, work on tasks from a queue in rank 0's memory.\n"
    "  --tasks N        number of tasks (default 64)\n"
    "  --mean SECONDS   a task takes between 0 and twice this time (default 0.001)\n"
    "  --exclusive      an exclusive lock for each access; default: one MPI_Win_lock_all and "
    "flushes\n"
    "  --busy           tasks compute; default: they sleep\n"
    "  --help           print this text\n";

/* Returns false, with the reason in `why`, for a wrong argument. */
static bool read_options(options *o, int argc, char **argv, char *why, size_t why_size)
{
    enum { TASKS = 1, MEAN, EXCLUSIVE, BUSY, HELP };
    static const struct option known[] = {
        {"tasks", required_argument, NULL, TASKS},   {"mean", required_argument, NULL, MEAN},
        {"exclusive", no_argument, NULL, EXCLUSIVE}, {"busy", no_argument, NULL, BUSY},
        {"help", no_argument, NULL, HELP},           {NULL, 0, NULL, 0}};
    *o = (options){.tasks = 64, .mean = 0.001};
    opterr = 0;
    int choice;
    while ((choice = getopt_long(argc, argv, "+:", known, NULL)) != -1) {
        switch (choice) {
        case TASKS:
            if (!read_count(optarg, 0, 1000000, &o->tasks)) {
                snprintf(why, why_size, "--tasks needs a number from 0 to 1000000, not \"%s\"",
                         optarg);
                return false;
            }
            break;
        case MEAN:
            if (!read_seconds(optarg, &o->mean)) {
                snprintf(why, why_size, "--mean needs seconds from 0 to 3600, not \"%s\"", optarg);
                return false;
            }
            break;
        case EXCLUSIVE:
            o->exclusive = true;
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
    }
    if (optind < argc)
        snprintf(why, why_size, "unexpected argument \"%s\"", argv[optind]);
    return optind == argc;
}

/* Adds one to a number of rank 0 and returns the previous value. */
static int64_t fetch_and_increment(const options *o, MPI_Aint place, MPI_Win window)
{
    const int64_t one = 1;
    int64_t before;
    if (o->exclusive)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Fetch_and_op(&one, &before, MPI_INT64_T, 0, place, MPI_SUM, window);
    if (o->exclusive)
        MPI_Win_unlock(0, window);
    else
        MPI_Win_flush(0, window);
    return before;
}

/* Duration of a task: pseudo-random, always the same for the same task. */
static double length_of(const options *o, int64_t task)
{
    const uint64_t mixed = ((uint64_t)task + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return o->mean * 2.0 * (double)(mixed >> 40) / (double)(1 << 24);
}

static void work(const options *o, MPI_Win window)
{
    int64_t task;
    while ((task = fetch_and_increment(o, NEXT, window)) < o->tasks) {
        (o->busy ? work_for : sleep_for)(length_of(o, task));
        fetch_and_increment(o, (MPI_Aint)(FIRST_DONE + task), window);
    }
}

/* Returns whether each task was executed once and each rank has found the queue empty once. */
static bool is_complete(const options *o, const int64_t *memory, int size)
{
    bool complete = memory[NEXT] == o->tasks + size;
    for (int task = 0; task < o->tasks; task++)
        complete = complete && memory[FIRST_DONE + task] == 1;
    return complete;
}

static int run(const options *o, int rank, int size)
{
    const MPI_Aint bytes = (FIRST_DONE + o->tasks) * (MPI_Aint)sizeof(int64_t);
    int64_t *memory;
    MPI_Win window;
    MPI_Win_allocate(bytes, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_set_name(window, "queue");
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
    memset(memory, 0, (size_t)bytes);
    MPI_Win_unlock(rank, window);
    MPI_Barrier(MPI_COMM_WORLD);

    if (!o->exclusive)
        MPI_Win_lock_all(0, window);
    work(o, window);
    if (!o->exclusive)
        MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);

    int status = SUCCESS;
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
        status = is_complete(o, memory, size) ? SUCCESS : FAILURE;
        MPI_Win_unlock(0, window);
        printf("work-queue: %d tasks, %s\n", o->tasks,
               status == SUCCESS ? "each done once" : "not each done once");
    }
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Win_free(&window);
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
            fprintf(stderr, "work-queue: %s (try --help)\n", why);
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
