/* SPDX-License-Identifier: BSD-3-Clause */
/* hybrid-jacobi: Jacobi iterations on a grid, its rows distributed over MPI processes, those of
 * each process over OpenMP threads. Threads meet at the end of each sweep, then the master
 * exchanges rows with the neighbours. `--imbalance` makes the rows of the last quarter of a process
 * slow: with a static schedule its last thread delays the others, the exchange and the neighbours;
 * a dynamic one spreads them. Each process compares its rows with those of a serial computation:
 * the result depends on the grid and the iterations alone. */
#include "arguments.h"
#include "duration.h"

#include <getopt.h>
#include <math.h>
#include <mpi.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, FAILURE = 1, WRONG_USAGE = 2 };

typedef struct options {
    int rows, columns, iterations;
    double work, percent; /* seconds of each row; so much more in slow rows of this process */
    bool dynamic, help;
} options;

/* Rows begin .. end - 1 of the grid; row 0 of the arrays is the one before. */
typedef struct part {
    int begin, end, columns;
    double *now, *next;
} part;

static const char usage[] =
    "usage: hybrid-jacobi [OPTIONS]\n"
    "Jacobi iterations on a grid, by MPI processes and OpenMP threads.\n"
    "  --size NXxNY                rows and columns (default 64x64)\n"
    "  --iterations N              (default 20)\n"
    "  --work SECONDS              additional computation of each row (default 0.0001)\n"
    "  --imbalance PERCENT[:RANK,...]  the rows of the last quarter of these processes (default: "
    "of the\n"
    "                              last) compute longer by so much\n"
    "  --dynamic                   schedule(dynamic) instead of schedule(static)\n"
    "  --help                      print this text\n";

/* Returns false, with the reason in `why`, for a wrong argument. */
static bool read_options(options *o, int argc, char **argv, int rank, int size, char *why,
                         size_t why_size)
{
    static const struct option known[] = {{"size", required_argument, NULL, 's'},
                                          {"iterations", required_argument, NULL, 'n'},
                                          {"work", required_argument, NULL, 'w'},
                                          {"imbalance", required_argument, NULL, 'i'},
                                          {"dynamic", no_argument, NULL, 'd'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    *o = (options){.rows = 64, .columns = 64, .iterations = 20, .work = 1e-4};
    opterr = 0;
    int choice;
    bool valid = true;
    while (valid && (choice = getopt_long(argc, argv, "+", known, NULL)) != -1) {
        switch (choice) {
        case 's':
            valid = read_size(optarg, &o->rows, &o->columns);
            break;
        case 'n':
            valid = read_count(optarg, 0, 1000000, &o->iterations);
            break;
        case 'w':
            valid = read_seconds(optarg, &o->work);
            break;
        case 'i':
            valid = read_imbalance(optarg, rank, size, &o->percent);
            break;
        case 'd':
            o->dynamic = true;
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
    else if (o->rows < size)
        snprintf(why, why_size, "%d rows are too few for %d processes", o->rows, size);
    return valid && optind == argc && o->rows >= size;
}

static double initial(int row, int column, const options *o)
{
    const bool border = row == 0 || column == 0 || row == o->rows - 1 || column == o->columns - 1;
    return border ? sin(0.1 * row) + cos(0.1 * column) : 0.0;
}

static void make_part(part *p, const options *o, int begin, int end)
{
    const size_t points = (size_t)(end - begin + 2) * (size_t)o->columns;
    *p = (part){.begin = begin,
                .end = end,
                .columns = o->columns,
                .now = malloc(points * sizeof *p->now),
                .next = malloc(points * sizeof *p->next)};
    if (p->now == NULL || p->next == NULL)
        MPI_Abort(MPI_COMM_WORLD, FAILURE);
    for (int row = begin - 1; row <= end; row++)
        for (int column = 0; column < o->columns; column++)
            p->now[(row - begin + 1) * o->columns + column] = initial(row, column, o);
    memcpy(p->next, p->now, points * sizeof *p->next);
}

static void free_part(part *p)
{
    free(p->now);
    free(p->next);
}

static void compute_row(const part *p, const options *o, int row)
{
    if (row == 0 || row == o->rows - 1)
        return;
    const double *above = p->now + (row - p->begin) * p->columns;
    const double *here = above + p->columns, *below = here + p->columns;
    double *next = p->next + (row - p->begin + 1) * p->columns;
    for (int column = 1; column < p->columns - 1; column++)
        next[column] = 0.25 * (above[column] + below[column] + here[column - 1] + here[column + 1]);
}

static __attribute__((noinline)) void fast_row(const part *p, const options *o, int row)
{
    work_for(o->work);
    compute_row(p, o, row);
}

static __attribute__((noinline)) void slow_row(const part *p, const options *o, int row)
{
    work_for(o->work * (1.0 + o->percent / 100.0));
    compute_row(p, o, row);
}

static void sweep(const part *p, const options *o)
{
    const int slow = p->end - (p->end - p->begin + 3) / 4;
#pragma omp parallel
    {
        if (o->dynamic) {
#pragma omp for schedule(dynamic)
            for (int row = p->begin; row < p->end; row++)
                (row >= slow && o->percent > 0 ? slow_row : fast_row)(p, o, row);
        } else {
#pragma omp for schedule(static)
            for (int row = p->begin; row < p->end; row++)
                (row >= slow && o->percent > 0 ? slow_row : fast_row)(p, o, row);
        }
    }
}

static void exchange(const part *p, int rank, int size)
{
    const int above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    const int below = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    const int rows = p->end - p->begin;
    double *const first = p->now + p->columns, *const last = p->now + rows * p->columns;
    MPI_Sendrecv(first, p->columns, MPI_DOUBLE, above, 1, last + p->columns, p->columns, MPI_DOUBLE,
                 below, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(last, p->columns, MPI_DOUBLE, below, 2, p->now, p->columns, MPI_DOUBLE, above, 2,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void swap(part *p)
{
    double *const now = p->now;
    p->now = p->next;
    p->next = now;
}

/* Compares with a serial computation of the whole grid. */
static bool is_correct(const part *p, const options *o)
{
    part whole;
    make_part(&whole, o, 0, o->rows);
    for (int i = 0; i < o->iterations; i++) {
        for (int row = 0; row < o->rows; row++)
            compute_row(&whole, o, row);
        swap(&whole);
    }
    const size_t bytes = (size_t)(p->end - p->begin) * (size_t)p->columns * sizeof *p->now;
    const bool same =
        memcmp(p->now + p->columns, whole.now + (p->begin + 1) * p->columns, bytes) == 0;
    free_part(&whole);
    return same;
}

static int run(const options *o, int rank, int size)
{
    part p;
    make_part(&p, o, (int)((long)o->rows * rank / size), (int)((long)o->rows * (rank + 1) / size));
    for (int i = 0; i < o->iterations; i++) {
        sweep(&p, o);
        swap(&p);
        exchange(&p, rank, size);
    }
    int correct = is_correct(&p, o), all = 0;
    MPI_Allreduce(&correct, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank == 0)
        printf("hybrid-jacobi: %d x %d points, %d iterations, %s\n", o->rows, o->columns,
               o->iterations, all ? "correct" : "wrong");
    free_part(&p);
    return all ? SUCCESS : FAILURE;
}

int main(int argc, char **argv)
{
    int provided, rank, size;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    options o;
    char why[256];
    int status = SUCCESS;
    if (!read_options(&o, argc, argv, rank, size, why, sizeof why)) {
        if (rank == 0)
            fprintf(stderr, "hybrid-jacobi: %s (try --help)\n", why);
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
