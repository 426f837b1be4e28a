/* SPDX-License-Identifier: BSD-3-Clause */
/* rput-pipeline: blocks of numbers move from rank to rank by one-sided operations and atomic
 * counters; each rank adds its number plus one to all elements. */
#include "arguments.h"
#include "duration.h"
#include "pipeline.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, FAILURE = 1, WRONG_USAGE = 2 };

typedef struct options {
    int blocks, length;
    double work; /* seconds for each block */
    transfer transfer;
    bool help;
} options;

static const char *const transfer_names[TRANSFERS] = {"rput", "put", "local", "mixed"};

static const char usage[] =
    "usage: rput-pipeline [OPTIONS]\n"
    "Blocks of numbers go through a pipeline of all ranks; needs 2 ranks or more.\n"
    "  --blocks N        number of blocks (default 32)\n"
    "  --length N        numbers in a block (default 1024)\n"
    "  --work SECONDS    time that each rank works on a block (default 0.001)\n"
    "  --transfer NAME   rput (MPI_Rput, MPI_Wait), put (MPI_Put, flush), local (MPI_Put,\n"
    "                    flush_local) or mixed (one after the other; default)\n"
    "  --help            print this text\n";

static bool read_transfer(const char *name, transfer *chosen)
{
    for (int i = 0; i < TRANSFERS; i++) {
        if (strcmp(name, transfer_names[i]) == 0) {
            *chosen = (transfer)i;
            return true;
        }
    }
    return false;
}

/* Returns false, with the reason in `why`, for a wrong argument. */
static bool read_options(options *o, int argc, char **argv, char *why, size_t why_size)
{
    enum { BLOCKS = 1, LENGTH, WORK, TRANSFER, HELP };
    static const struct option known[] = {{"blocks", required_argument, NULL, BLOCKS},
                                          {"length", required_argument, NULL, LENGTH},
                                          {"work", required_argument, NULL, WORK},
                                          {"transfer", required_argument, NULL, TRANSFER},
                                          {"help", no_argument, NULL, HELP},
                                          {NULL, 0, NULL, 0}};
    *o = (options){.blocks = 32, .length = 1024, .work = 0.001, .transfer = TRANSFER_MIXED};
    opterr = 0;
    int choice;
    while ((choice = getopt_long(argc, argv, "+:", known, NULL)) != -1) {
        bool valid = true;
        switch (choice) {
        case BLOCKS:
            valid = read_count(optarg, 0, 1000000, &o->blocks);
            break;
        case LENGTH:
            valid = read_count(optarg, 1, 1000000, &o->length);
            break;
        case WORK:
            valid = read_seconds(optarg, &o->work);
            break;
        case TRANSFER:
            valid = read_transfer(optarg, &o->transfer);
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
        if (!valid) {
            snprintf(why, why_size, "--%s cannot be \"%s\"", known[choice - 1].name, optarg);
            return false;
        }
    }
    if (optind < argc)
        snprintf(why, why_size, "unexpected argument \"%s\"", argv[optind]);
    return optind == argc;
}

/* Value of element `index` of block `number` before the first rank. */
static double original(int64_t number, int index)
{
    return (double)(number * 3 + index);
}

/* Runs the pipeline stage of this rank. Returns the number of wrong elements after the last
 * rank. */
static int64_t run_stage(stage *s, const options *o, double *block)
{
    int64_t wrong = 0;
    const double added_by_all = (double)s->size * (s->size + 1) / 2;
    for (int64_t number = 0; number < o->blocks; number++) {
        if (s->rank > 0)
            stage_receive(s, number, block);
        else
            for (int i = 0; i < o->length; i++)
                block[i] = original(number, i);
        sleep_for(o->work);
        for (int i = 0; i < o->length; i++)
            block[i] += s->rank + 1;
        if (s->rank < s->size - 1)
            stage_send(s, number, block);
        else
            for (int i = 0; i < o->length; i++)
                wrong += block[i] != original(number, i) + added_by_all;
    }
    return wrong;
}

static int run(const options *o, int rank, int size)
{
    stage s = {.rank = rank, .size = size, .block_length = o->length, .transfer = o->transfer};
    double *block = malloc((size_t)o->length * sizeof *block);
    if (block == NULL)
        MPI_Abort(MPI_COMM_WORLD, FAILURE);
    stage_begin(&s);
    int64_t wrong = run_stage(&s, o, block);
    stage_end(&s);
    free(block);
    MPI_Bcast(&wrong, 1, MPI_INT64_T, size - 1, MPI_COMM_WORLD);
    if (rank == 0)
        printf("rput-pipeline: %d blocks of %d numbers, %s\n", o->blocks, o->length,
               wrong == 0 ? "all right" : "some wrong");
    return wrong == 0 ? SUCCESS : FAILURE;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    options o;
    char why[256] = "needs 2 ranks or more";
    int status = SUCCESS;
    if (!read_options(&o, argc, argv, why, sizeof why) || (!o.help && size < 2)) {
        if (rank == 0)
            fprintf(stderr, "rput-pipeline: %s (try --help)\n", why);
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
