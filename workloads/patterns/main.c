/* SPDX-License-Identifier: BSD-3-Clause */
/* patterns: provokes wait states by planted delays, one after another, so that the results of a
 * performance tool can be compared with the planted delays. */
#include "pattern.h"

#include <fermata/fermata.h>

#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, WRONG_USAGE = 2 };

/* The MPI standard defines the levels 0, 1 and 2 of MPI_Pcontrol; numbers of patterns begin
 * above. */
enum { FIRST_NUMBER = 10, MOST_PATTERNS = 128 };

/* All patterns in execution order. MPI_Finalize must be the last. */
static const pattern *const tables[] = {
    late_sender_patterns, wrong_order_patterns,   late_receiver_patterns, collective_patterns,
    nonblocking_patterns, neighbourhood_patterns, management_patterns,    fence_patterns,
    gats_patterns,        passive_patterns,       finalize_patterns};

typedef struct options {
    double delay;
    bool chosen[MOST_PATTERNS]; /* by position in all_patterns */
    bool list, help;
} options;

static const pattern *all_patterns[MOST_PATTERNS];
static fermata_region_t regions[MOST_PATTERNS]; /* one of each pattern, by its name */
static int pattern_count;

static void collect_patterns(void)
{
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
        for (const pattern *p = tables[t]; p->name != NULL && pattern_count < MOST_PATTERNS; p++) {
            regions[pattern_count] = (fermata_region_t)FERMATA_REGION_HERE(p->name, FERMATA_CODE);
            all_patterns[pattern_count++] = p;
        }
}

static const char usage[] =
    "usage: patterns [OPTIONS]\n"
    "Provokes wait states of MPI programs by planted delays; needs 2 ranks or more.\n"
    "  --pattern NAME   run this pattern (repeatable; default: all)\n"
    "  --delay SECONDS  length of the planted delays (default 0.02)\n"
    "  --list           print the patterns: number, name, metric, what happens\n"
    "  --help           print this text\n";

static bool choose(options *o, const char *name)
{
    for (int i = 0; i < pattern_count; i++)
        if (strcmp(all_patterns[i]->name, name) == 0)
            return o->chosen[i] = true;
    return false;
}

/* Returns false, with the reason in `why`, for a wrong argument. */
static bool read_options(options *o, int argc, char **argv, char *why, size_t why_size)
{
    enum { PATTERN = 1, DELAY, LIST, HELP };
    static const struct option known[] = {{"pattern", required_argument, NULL, PATTERN},
                                          {"delay", required_argument, NULL, DELAY},
                                          {"list", no_argument, NULL, LIST},
                                          {"help", no_argument, NULL, HELP},
                                          {NULL, 0, NULL, 0}};
    *o = (options){.delay = 0.02};
    bool all = true;
    opterr = 0;
    int choice;
    while ((choice = getopt_long(argc, argv, "+:", known, NULL)) != -1) {
        char *end;
        switch (choice) {
        case PATTERN:
            all = false;
            if (!choose(o, optarg)) {
                snprintf(why, why_size, "no pattern is called \"%s\" (see --list)", optarg);
                return false;
            }
            break;
        case DELAY:
            o->delay = strtod(optarg, &end);
            if (end == optarg || *end != '\0' || !(o->delay >= 0.0 && o->delay <= 3600.0)) {
                snprintf(why, why_size, "--delay needs seconds from 0 to 3600, not \"%s\"", optarg);
                return false;
            }
            break;
        case LIST:
            o->list = true;
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
    if (optind < argc) {
        snprintf(why, why_size, "unexpected argument \"%s\"", argv[optind]);
        return false;
    }
    for (int i = 0; all && i < pattern_count; i++)
        o->chosen[i] = true;
    return true;
}

static void list_patterns(void)
{
    for (int i = 0; i < pattern_count; i++)
        printf("%3d  %-24s  %-30s  %s\n", FIRST_NUMBER + i, all_patterns[i]->name,
               all_patterns[i]->metric, all_patterns[i]->summary);
}

static void run_patterns(const options *o, int rank, int size)
{
    context c = {.rank = rank, .size = size, .delay = o->delay};
    int done = 0;
    for (int i = 0; i < pattern_count; i++) {
        const pattern *p = all_patterns[i];
        if (!o->chosen[i])
            continue;
        if (size < p->least_ranks) {
            if (rank == 0)
                printf("patterns: %s skipped, needs %d ranks\n", p->name, p->least_ranks);
            continue;
        }
        c.number = FIRST_NUMBER + i;
        /* The barrier before a pattern is also the barrier after its predecessor. */
        MPI_Barrier(MPI_COMM_WORLD);
        fermata_region_begin(&regions[i]);
        p->run(&c);
        fermata_region_end(&regions[i]);
        done++;
    }
    /* Without this barrier, ranks that finish early would wait in MPI_Finalize, whose pattern comes
     * last. */
    if (!o->chosen[pattern_count - 1])
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("patterns: %d patterns done\n", done);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    collect_patterns();

    options o;
    char why[256];
    int status = SUCCESS;
    if (!read_options(&o, argc, argv, why, sizeof why)) {
        if (rank == 0)
            fprintf(stderr, "patterns: %s (try --help)\n", why);
        status = WRONG_USAGE;
    } else if (o.help) {
        if (rank == 0)
            fputs(usage, stdout);
    } else if (o.list) {
        if (rank == 0)
            list_patterns();
    } else if (size < 2 || size > MOST_RANKS) {
        if (rank == 0)
            fprintf(stderr, "patterns: needs 2 to %d ranks\n", MOST_RANKS);
        status = WRONG_USAGE;
    } else {
        run_patterns(&o, rank, size);
    }
    MPI_Finalize();
    return status;
}
