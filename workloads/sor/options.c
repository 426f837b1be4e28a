/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include "arguments.h"

#include <getopt.h>
#include <stdio.h>

const char *options_usage(void)
{
    return "usage: sor [OPTIONS]\n"
           "Solves the Poisson equation on the unit square by red-black successive\n"
           "over-relaxation, distributed over all MPI processes.\n"
           "  --size NXxNY         interior points of the grid (default 128x128)\n"
           "  --iterations N       stop after N iterations (default 1000)\n"
           "  --tolerance T        stop when the residual is at most T (default 1e-6; 0: never)\n"
           "  --check N            compute the residual every N iterations (default 50)\n"
           "  --variant NAME       halo exchange: p2p (default), p2p-blocking, fence, gats or\n"
           "                       locks\n"
           "  --work SECONDS       time that a sweep takes besides its arithmetic, asleep\n"
           "                       (default 0)\n"
           "  --imbalance P[:R,..] ranks R (default: the last) compute P percent more\n"
           "  --verify             compare with a serial computation and the analytical solution\n"
           "  --timing             print the time each rank computes and exchanges\n"
           "  --help               print this text\n";
}

static bool read_whole_only(const char *text, int least, int *value)
{
    char *end;
    return read_whole(text, least, value, &end) && *end == '\0';
}

bool options_read(options *o, int argc, char **argv, int rank, int size, char *why, size_t why_size)
{
    enum { SIZE = 1, ITERATIONS, TOLERANCE, CHECK, VARIANT, WORK, IMBALANCE, VERIFY, TIMING, HELP };
    static const struct option known[] = {{"size", required_argument, NULL, SIZE},
                                          {"iterations", required_argument, NULL, ITERATIONS},
                                          {"tolerance", required_argument, NULL, TOLERANCE},
                                          {"check", required_argument, NULL, CHECK},
                                          {"variant", required_argument, NULL, VARIANT},
                                          {"work", required_argument, NULL, WORK},
                                          {"imbalance", required_argument, NULL, IMBALANCE},
                                          {"verify", no_argument, NULL, VERIFY},
                                          {"timing", no_argument, NULL, TIMING},
                                          {"help", no_argument, NULL, HELP},
                                          {NULL, 0, NULL, 0}};
    *o = (options){.nx = 128,
                   .ny = 128,
                   .iterations = 1000,
                   .tolerance = 1e-6,
                   .check_interval = 50,
                   .variant = &halo_p2p};
    opterr = 0;
    int choice;
    /* "+": the first word that is not an option ends the options and is an error; ":": distinguish
     * a missing value from an unknown option. */
    while ((choice = getopt_long(argc, argv, "+:", known, NULL)) != -1) {
        const char *expected = NULL;
        char *end;
        switch (choice) {
        case SIZE:
            if (!read_size(optarg, &o->nx, &o->ny))
                expected = "--size needs two positive numbers, as in 200x100";
            break;
        case ITERATIONS:
            if (!read_whole_only(optarg, 1, &o->iterations))
                expected = "--iterations needs a positive number";
            break;
        case TOLERANCE:
            if (!read_real(optarg, &o->tolerance, &end) || *end != '\0')
                expected = "--tolerance needs a number that is not negative";
            break;
        case CHECK:
            if (!read_whole_only(optarg, 1, &o->check_interval))
                expected = "--check needs a positive number";
            break;
        case VARIANT:
            o->variant = halo_variant_find(optarg);
            if (o->variant == NULL)
                expected = "--variant is one of p2p, p2p-blocking, fence, gats, locks";
            break;
        case WORK:
            if (!read_seconds(optarg, &o->work))
                expected = "--work needs a number of seconds from 0 to 3600";
            break;
        case IMBALANCE:
            if (!read_imbalance(optarg, rank, size, &o->imbalance))
                expected = "--imbalance needs a percentage and, after a colon, ranks of this run, "
                           "as in 50:0,2";
            break;
        case VERIFY:
            o->verify = true;
            break;
        case TIMING:
            o->timing = true;
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
    return true;
}
