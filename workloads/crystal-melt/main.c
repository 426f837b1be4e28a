/* SPDX-License-Identifier: BSD-3-Clause */
/* crystal-melt: velocities of the melt in a round crucible, on slabs of a square mesh, one slab for
 * each process (modelled on CX3D, decomposition 8x1; Wolf 2002, section 5.2, whose names the
 * functions have).
 *
 * `velo` computes the melt cells of a slab, sends the outer rows to the neighbours, receives theirs
 * in `crecvxs`, and reduces the largest change. Slabs of equally many rows have fewer melt cells
 * the nearer they are to the wall: their processes wait for their neighbours and then for all.
 * --cut cells makes slabs of about equally many melt cells instead. Each process compares its slab
 * with a serial computation. */
#include "arguments.h"
#include "duration.h"

#include <fermata/fermata.h>

#include <getopt.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, FAILURE = 1, WRONG_USAGE = 2 };

typedef struct options {
    int length, steps; /* length: of an edge of the mesh, in cells */
    double work;       /* seconds that the melt cells of the average slab take */
    bool by_cells, help;
} options;

/* Rows [first, end) of the mesh; `old` and `next` have the row before and the row behind, too. */
typedef struct slab {
    int length, first, end, above, below; /* above, below: neighbours, or MPI_PROC_NULL */
    double work;                          /* seconds */
    double *old, *next;
} slab;

static const char usage[] =
    "usage: crystal-melt [OPTIONS]\n"
    "Velocities in a round crucible, on a slab of the mesh for each MPI process.\n"
    "  --length N      cells along each edge of the mesh (default 96)\n"
    "  --steps N       (default 30)\n"
    "  --work SECONDS  time of a step on the average slab besides its arithmetic, asleep\n"
    "                  (default 0.01)\n"
    "  --cut WHAT      slabs have the same number of rows (default) or of melt cells (cells)\n"
    "  --help          print this text\n";

/* Returns false, with the reason in `why`, for a wrong argument. */
static bool read_options(options *o, int argc, char **argv, int size, char *why, size_t why_size)
{
    static const struct option known[] = {
        {"length", required_argument, NULL, 'l'}, {"steps", required_argument, NULL, 'n'},
        {"work", required_argument, NULL, 'w'},   {"cut", required_argument, NULL, 'c'},
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}};
    *o = (options){.length = 96, .steps = 30, .work = 0.01};
    opterr = 0;
    int choice;
    bool valid = true;
    while (valid && (choice = getopt_long(argc, argv, "+", known, NULL)) != -1) {
        switch (choice) {
        case 'l':
            valid = read_count(optarg, 4, 4096, &o->length);
            break;
        case 'n':
            valid = read_count(optarg, 1, 1000000, &o->steps);
            break;
        case 'w':
            valid = read_seconds(optarg, &o->work);
            break;
        case 'c':
            o->by_cells = strcmp(optarg, "cells") == 0;
            valid = o->by_cells || strcmp(optarg, "rows") == 0;
            break;
        case 'h':
            o->help = true;
            break;
        default:
            valid = false;
        }
    }
    if (!valid || optind < argc) {
        snprintf(why, why_size, "wrong argument \"%s\"", argv[valid ? optind : optind - 1]);
    } else if (o->length < 4 * size) {
        snprintf(why, why_size, "a mesh of %d rows is too small for %d processes", o->length, size);
        valid = false;
    }
    return valid && optind == argc;
}

/* Returns whether a cell is melt, and not wall: within the circle that touches the edges. */
static bool is_melt(int length, int row, int column)
{
    const int y = 2 * row + 1 - length, x = 2 * column + 1 - length;
    return x * x + y * y < (length - 2) * (length - 2);
}

static int melt_cells(int length, int first, int end)
{
    int count = 0;
    for (int row = first; row < end; row++) {
        for (int column = 0; column < length; column++)
            count += is_melt(length, row, column);
    }
    return count;
}

/* Returns the first row of a rank's slab; of `size`: the number of rows. */
static int first_row(const options *o, int rank, int size)
{
    if (!o->by_cells || rank == 0 || rank == size)
        return (int)((long long)o->length * rank / size);
    const double wanted = (double)melt_cells(o->length, 0, o->length) * rank / size;
    int row = 0, before = 0, cells = 0;
    while (cells < wanted) {
        before = cells;
        cells += melt_cells(o->length, row, row + 1);
        row++;
    }
    return wanted - before < cells - wanted ? row - 1 : row;
}

/* Computes the melt cells of rows [first, end) of a mesh whose row `origin` is at old and next;
 * returns the largest change. */
static double relax(int length, int first, int end, const double *old, double *next, int origin)
{
    double change = 0.0;
    for (int row = first; row < end; row++) {
        for (int column = 0; column < length; column++) {
            if (!is_melt(length, row, column))
                continue;
            const int i = (row - origin) * length + column;
            next[i] = 0.25 * (old[i - length] + old[i + length] + old[i - 1] + old[i + 1]) + 0.1;
            change = fmax(change, fabs(next[i] - old[i]));
        }
    }
    return change;
}

/* Starts to send the outer rows, by two requests. */
static void csendxs(const slab *own, MPI_Request *requests)
{
    FERMATA_SCOPE("csendxs");
    const int n = own->length, rows = own->end - own->first;
    MPI_Isend(own->next + n, n, MPI_DOUBLE, own->above, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(own->next + rows * n, n, MPI_DOUBLE, own->below, 0, MPI_COMM_WORLD, &requests[1]);
}

static void crecvxs(const slab *own)
{
    FERMATA_SCOPE("crecvxs");
    const int n = own->length, rows = own->end - own->first;
    MPI_Recv(own->next, n, MPI_DOUBLE, own->above, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(own->next + (rows + 1) * n, n, MPI_DOUBLE, own->below, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
}

static double compute_cells(const slab *own)
{
    FERMATA_SCOPE("compute_cells");
    sleep_for(own->work);
    return relax(own->length, own->first, own->end, own->old, own->next, own->first - 1);
}

/* Returns the largest change of a velocity in any slab. */
static double velo(const slab *own)
{
    FERMATA_SCOPE("velo");
    double change = compute_cells(own);
    MPI_Request requests[2];
    csendxs(own, requests);
    crecvxs(own);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Allreduce(MPI_IN_PLACE, &change, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return change;
}

/* Returns whether the slab and the last change are those of a computation without slabs. */
static bool is_right(const options *o, const slab *own, double change)
{
    const size_t cells = (size_t)o->length * (size_t)o->length;
    double *mesh[2] = {calloc(cells, sizeof *mesh[0]), calloc(cells, sizeof *mesh[0])};
    if (mesh[0] == NULL || mesh[1] == NULL)
        MPI_Abort(MPI_COMM_WORLD, FAILURE);
    double expected = 0.0;
    for (int step = 0; step < o->steps; step++)
        expected = relax(o->length, 0, o->length, mesh[step % 2], mesh[1 - step % 2], 0);
    bool right = change == expected;
    for (int i = own->first * o->length; i < own->end * o->length; i++)
        right = right && mesh[o->steps % 2][i] == own->old[i - (own->first - 1) * o->length];
    free(mesh[0]);
    free(mesh[1]);
    return right;
}

static int run(const options *o, int rank, int size)
{
    slab own = {.length = o->length,
                .first = first_row(o, rank, size),
                .end = first_row(o, rank + 1, size),
                .above = rank > 0 ? rank - 1 : MPI_PROC_NULL,
                .below = rank < size - 1 ? rank + 1 : MPI_PROC_NULL};
    own.work = o->work * size * melt_cells(o->length, own.first, own.end) /
               melt_cells(o->length, 0, o->length);
    const size_t cells = (size_t)(own.end - own.first + 2) * (size_t)o->length;
    double *const first = calloc(2 * cells, sizeof *first);
    if (first == NULL)
        MPI_Abort(MPI_COMM_WORLD, FAILURE);
    own.old = first;
    own.next = first + cells;
    double change = 0.0;
    for (int step = 0; step < o->steps; step++) {
        FERMATA_PHASE_SCOPE("step");
        change = velo(&own);
        double *const newest = own.next;
        own.next = own.old;
        own.old = newest;
    }
    int right = is_right(o, &own, change);
    free(first);
    MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (rank == 0)
        printf("crystal-melt: %d melt cells, %d steps, the velocities are %s\n",
               melt_cells(o->length, 0, o->length), o->steps, right ? "right" : "wrong");
    return right ? SUCCESS : FAILURE;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    options o;
    char why[256];
    int status = SUCCESS;
    if (!read_options(&o, argc, argv, size, why, sizeof why)) {
        if (rank == 0)
            fprintf(stderr, "crystal-melt: %s (try --help)\n", why);
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
