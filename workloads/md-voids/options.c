/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include "arguments.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *options_usage(void)
{
    return "usage: md-voids [OPTIONS]\n"
           "Forces between the atoms of a crystal with spherical voids, a domain for each rank.\n"
           "  --cells N       unit cells of a domain in each direction, 4 atoms each (default 20)\n"
           "  --radius R      radius of the voids in angstroms (default 0: none)\n"
           "  --voids N       number of voids (default 10)\n"
           "  --seed N        where the voids are (default 1)\n"
           "  --floor N       domains with fewer atoms lose no more (default: 5/16 of all)\n"
           "  --steps N       exchanges of halos and computations of forces (default 5)\n"
           "  --grid XxYxZ    domains in each direction (default: chosen by MPI)\n"
           "  --timing        print the time of each rank's forces\n"
           "  --kernel NAME   of an accelerator: naive or packed\n"
           "  --model         model the activity of the kernel, for each domain of the grid in "
           "turn\n"
           "  --output DIR    write tables for fermata gpu-imbalance to this new folder\n"
           "  --help          print this text\n";
}

static bool read_grid(const char *text, int grid[3])
{
    char *end;
    if (!read_whole(text, 1, &grid[0], &end) || *end != 'x' ||
        !read_whole(end + 1, 1, &grid[1], &end) || *end != 'x' ||
        !read_whole(end + 1, 1, &grid[2], &end) || *end != '\0') {
        return false;
    }
    return grid[0] <= 64 && grid[1] <= 64 && grid[2] <= 64;
}

static bool read_kernel(const char *text, struct options *o)
{
    o->has_kernel = true;
    o->kernel = strcmp(text, "naive") == 0 ? KERNEL_NAIVE : KERNEL_PACKED;
    return strcmp(text, "naive") == 0 || strcmp(text, "packed") == 0;
}

bool options_read(struct options *o, int argc, char **argv, char *why, size_t why_size)
{
    enum {
        CELLS = 1,
        RADIUS,
        VOIDS,
        SEED,
        FLOOR,
        STEPS,
        GRID,
        KERNEL,
        MODEL,
        OUTPUT,
        TIMING,
        HELP
    };
    static const struct option known[] = {{"cells", required_argument, NULL, CELLS},
                                          {"radius", required_argument, NULL, RADIUS},
                                          {"voids", required_argument, NULL, VOIDS},
                                          {"seed", required_argument, NULL, SEED},
                                          {"floor", required_argument, NULL, FLOOR},
                                          {"steps", required_argument, NULL, STEPS},
                                          {"grid", required_argument, NULL, GRID},
                                          {"kernel", required_argument, NULL, KERNEL},
                                          {"model", no_argument, NULL, MODEL},
                                          {"output", required_argument, NULL, OUTPUT},
                                          {"timing", no_argument, NULL, TIMING},
                                          {"help", no_argument, NULL, HELP},
                                          {NULL, 0, NULL, 0}};
    int choice;
    char *end;
    *o =
        (struct options){.problem = {.cells = 20, .floor = -1, .voids = 10}, .seed = 1, .steps = 5};
    struct problem *p = &o->problem;
    opterr = 0;
    while ((choice = getopt_long(argc, argv, "+:", known, NULL)) != -1) {
        bool right = true;
        switch (choice) {
        case CELLS:
            right = read_count(optarg, 4, 100, &p->cells);
            break;
        case RADIUS:
            right = read_real(optarg, &p->radius, &end) && *end == '\0';
            break;
        case VOIDS:
            right = read_count(optarg, 1, MOST_VOIDS, &p->voids);
            break;
        case SEED:
            right = read_count(optarg, 0, 1000000, &o->seed);
            break;
        case FLOOR:
            right = read_count(optarg, 0, 4000000, &p->floor);
            break;
        case STEPS:
            right = read_count(optarg, 1, 1000000, &o->steps);
            break;
        case GRID:
            right = read_grid(optarg, p->grid);
            break;
        case KERNEL:
            right = read_kernel(optarg, o);
            break;
        case MODEL:
            o->is_model = true;
            break;
        case OUTPUT:
            o->output = optarg;
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
        if (!right) {
            snprintf(why, why_size, "--%s cannot be \"%s\"", known[choice - 1].name, optarg);
            return false;
        }
    }
    if (optind < argc) {
        snprintf(why, why_size, "unexpected argument \"%s\"", argv[optind]);
        return false;
    }
    if (o->is_model && !o->has_kernel) {
        snprintf(why, why_size, "--model needs --kernel");
        return false;
    }
    p->floor = p->floor < 0 ? 4 * p->cells * p->cells * p->cells / 16 * 5 : p->floor;
    return true;
}
