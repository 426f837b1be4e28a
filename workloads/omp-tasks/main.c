/* SPDX-License-Identifier: BSD-3-Clause */
/* omp-tasks: in how many ways can n queens stand on a board of n x n squares without threatening
 * one another? Each task places the queens of the rows from its own on; those of the first rows
 * create tasks for the next one. Subtrees differ in size, and one can be made slow: the threads
 * without tasks wait for it. The number of solutions is compared with the known one. */
#include "arguments.h"
#include "duration.h"

#include <getopt.h>
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { SUCCESS = 0, FAILURE = 1, WRONG_USAGE = 2, MOST_QUEENS = 12 };

typedef struct options {
    int queens, depth, slow; /* depth: rows whose placements are tasks; slow: column, -1 for none */
    double delay;            /* seconds */
    bool help;
} options;

static options settings;

static const char usage[] = "usage: omp-tasks [OPTIONS]\n"
                            "Counts the solutions of the problem of n queens by tasks of OpenMP.\n"
                            "  --queens N          (default 9, at most 12)\n"
                            "  --depth N           rows whose placements are tasks (default 2)\n"
                            "  --slow COLUMN       the task with the first queen in this column "
                            "takes longer (default: none)\n"
                            "  --delay SECONDS     by so much (default 0.05)\n"
                            "  --help              print this text\n";

/* Returns false, with the reason in `why`, for a wrong argument. */
static bool read_options(options *o, int argc, char **argv, char *why, size_t why_size)
{
    static const struct option known[] = {
        {"queens", required_argument, NULL, 'q'}, {"depth", required_argument, NULL, 'n'},
        {"slow", required_argument, NULL, 'l'},   {"delay", required_argument, NULL, 'd'},
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}};
    *o = (options){.queens = 9, .depth = 2, .slow = -1, .delay = 0.05};
    opterr = 0;
    int choice;
    bool valid = true;
    while (valid && (choice = getopt_long(argc, argv, "+", known, NULL)) != -1) {
        switch (choice) {
        case 'q':
            valid = read_count(optarg, 1, MOST_QUEENS, &o->queens);
            break;
        case 'n':
            valid = read_count(optarg, 1, MOST_QUEENS, &o->depth);
            break;
        case 'l':
            valid = read_count(optarg, 0, MOST_QUEENS - 1, &o->slow);
            break;
        case 'd':
            valid = read_seconds(optarg, &o->delay);
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

static __attribute__((noinline)) void slow_branch(void)
{
    work_for(settings.delay);
}

/* Squares of the next row that are threatened along columns and both diagonals, as bits. */
static int solve(int row, uint32_t columns, uint32_t left, uint32_t right)
{
    if (row == settings.queens)
        return 1;
    int solutions = 0;
    const uint32_t taken = columns | left | right;
    for (int column = 0; column < settings.queens; column++) {
        const uint32_t queen = 1u << column;
        if ((taken & queen) != 0)
            continue;
        const uint32_t next_left = (left | queen) << 1, next_right = (right | queen) >> 1;
        if (row >= settings.depth) {
            solutions += solve(row + 1, columns | queen, next_left, next_right);
            continue;
        }
#pragma omp task shared(solutions)
        {
            if (row == 0 && column == settings.slow)
                slow_branch();
            const int found = solve(row + 1, columns | queen, next_left, next_right);
#pragma omp atomic
            solutions += found;
        }
    }
#pragma omp taskwait
    return solutions;
}

int main(int argc, char **argv)
{
    static const int known[MOST_QUEENS + 1] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200};
    char why[256];
    if (!read_options(&settings, argc, argv, why, sizeof why)) {
        fprintf(stderr, "omp-tasks: %s (try --help)\n", why);
        return WRONG_USAGE;
    }
    if (settings.help) {
        fputs(usage, stdout);
        return SUCCESS;
    }
    int solutions = 0;
#pragma omp parallel
#pragma omp single
    solutions = solve(0, 0, 0, 0);
    const bool correct = solutions == known[settings.queens];
    printf("omp-tasks: %d queens, %d solutions, %s\n", settings.queens, solutions,
           correct ? "correct" : "wrong");
    return correct ? SUCCESS : FAILURE;
}
