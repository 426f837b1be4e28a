/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the trace of a simulated run of any number of ranks and any length: the input of the
 * benchmarks of the analysis. */
#include "sor_archive.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void print_usage(FILE *stream)
{
    fputs("usage: synthesize_sor [OPTIONS] DIR\n"
          "Writes the OTF2 archive DIR/traces.otf2 of a simulated stencil solver.\n\n"
          "  --ranks N           number of ranks (default 64)\n"
          "  --variant NAME      p2p, fence, gats or locks on a grid of ranks (default p2p);\n"
          "                      rare or rotate: messages with one rank at a time, see --period\n"
          "  --period N          rare: with a far rank every N-th time, otherwise with a near one\n"
          "                      (default 64); rotate: with N ranks in turn (default: all)\n"
          "  --dwell N           rotate: N iterations with each of them at a time (default 1)\n"
          "  --iterations N      number of iterations (default 100)\n"
          "  --events N          as many iterations as make about N events of all ranks\n"
          "  --reduce-every N    iterations between reductions (default 10)\n"
          "  --seed N            of the computing times (default 1)\n",
          stream);
}

static bool parse_number(const char *text, uint64_t limit, uint64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && text[0] != '-' && *number <= limit;
}

static bool parse_variant(const char *text, enum sor_variant *variant)
{
    static const char *const names[] = {
        [SOR_P2P] = "p2p",     [SOR_FENCE] = "fence", [SOR_GATS] = "gats",
        [SOR_LOCKS] = "locks", [SOR_RARE] = "rare",   [SOR_ROTATE] = "rotate"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; ++i) {
        if (strcmp(text, names[i]) == 0) {
            *variant = (enum sor_variant)i;
            return true;
        }
    }
    return false;
}

struct options {
    struct sor_problem problem;
    uint64_t events; /* 0: not given */
    const char *directory;
};

static bool parse_options(int argc, char **argv, struct options *options)
{
    enum { RANKS = 1, VARIANT, ITERATIONS, EVENTS, REDUCE_EVERY, PERIOD, DWELL, SEED };
    static const struct option long_options[] = {
        {"ranks", required_argument, NULL, RANKS},
        {"variant", required_argument, NULL, VARIANT},
        {"iterations", required_argument, NULL, ITERATIONS},
        {"events", required_argument, NULL, EVENTS},
        {"reduce-every", required_argument, NULL, REDUCE_EVERY},
        {"period", required_argument, NULL, PERIOD},
        {"dwell", required_argument, NULL, DWELL},
        {"seed", required_argument, NULL, SEED},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    uint64_t ranks = 64, iterations = 100, reduce_every = 10, period = 0, dwell = 1, seed = 1;
    bool valid = true;
    int option;
    *options = (struct options){.problem = {.variant = SOR_P2P}};
    while (valid && (option = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
        switch (option) {
        case RANKS:
            valid = parse_number(optarg, 1 << 20, &ranks) && ranks > 0;
            break;
        case VARIANT:
            valid = parse_variant(optarg, &options->problem.variant);
            break;
        case ITERATIONS:
            valid = parse_number(optarg, UINT32_MAX, &iterations) && iterations > 0;
            break;
        case EVENTS:
            valid = parse_number(optarg, UINT64_MAX, &options->events) && options->events > 0;
            break;
        case REDUCE_EVERY:
            valid = parse_number(optarg, UINT32_MAX, &reduce_every) && reduce_every > 0;
            break;
        case PERIOD:
            valid = parse_number(optarg, 1 << 20, &period) && period > 0;
            break;
        case DWELL:
            valid = parse_number(optarg, 1 << 20, &dwell) && dwell > 0;
            break;
        case SEED:
            valid = parse_number(optarg, UINT64_MAX, &seed);
            break;
        case 'h':
            print_usage(stdout);
            exit(EXIT_SUCCESS);
        default:
            valid = false;
        }
    }
    options->problem.ranks = (uint32_t)ranks;
    options->problem.width = sor_grid_width((uint32_t)ranks);
    options->problem.iterations = (uint32_t)iterations;
    options->problem.reduce_every = (uint32_t)reduce_every;
    options->problem.seed = seed;
    bool rotates = options->problem.variant == SOR_ROTATE;
    uint32_t longest = sor_longest_rotation((uint32_t)ranks);
    options->problem.period = period != 0 ? (uint32_t)period : rotates ? longest : 64;
    options->problem.dwell = (uint32_t)dwell;
    if (rotates && options->problem.period > longest) {
        valid = false;
    }
    if (options->events != 0) {
        double wanted = (double)options->events / sor_events_per_iteration(&options->problem);
        options->problem.iterations = wanted < 1 ? 1 : wanted > 1e9 ? 1000000000 : (uint32_t)wanted;
    }
    options->directory = argv[argc - 1];
    return valid && optind + 1 == argc;
}

int main(int argc, char **argv)
{
    struct options options;
    if (!parse_options(argc, argv, &options)) {
        print_usage(stderr);
        return 2;
    }
    if (mkdir(options.directory, 0777) != 0) {
        fprintf(stderr, "synthesize_sor: cannot create %s: %m\n", options.directory);
        return 1;
    }
    struct sor_simulation simulation;
    if (!sor_simulate(&options.problem, &simulation)) {
        fprintf(stderr, "synthesize_sor: no memory\n");
        return 1;
    }
    uint64_t events;
    OTF2_ErrorCode code = sor_archive_write(&simulation, options.directory, &events);
    sor_simulation_free(&simulation);
    if (code != OTF2_SUCCESS) {
        fprintf(stderr, "synthesize_sor: cannot write %s: %s\n", options.directory,
                OTF2_Error_GetDescription(code));
        return 1;
    }
    printf("%" PRIu64 " events of %" PRIu32 " ranks, %" PRIu32 " iterations\n", events,
           options.problem.ranks, options.problem.iterations);
    return 0;
}
