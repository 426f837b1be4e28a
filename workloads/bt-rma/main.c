/* SPDX-License-Identifier: BSD-3-Clause */
/* bt-rma: an implicit solver with sweeps along both axes of a grid, whose ranks exchange data by
 * one-sided communication, modelled on the one-sided version of BT as studied in [M.-A. Hermanns,
 * Understanding the formation of wait states in one-sided communication, 2017, section 5.2].
 *
 * The grid has as many cells along an axis as there are ranks. Of each row and each column of
 * cells, every rank has one (multi-partitioning), so that all ranks compute in every stage of a
 * sweep and pass data to a neighbour in a ring:
 *
 *   copy_faces - rhs - x_solve: stages up, stages down - y_solve: likewise - add
 *
 * Four variants synchronize in different ways. On request some ranks take longer for each cell, or
 * another rank in each stage: then ranks that synchronize with their neighbours only wait less than
 * ranks that all wait for the last one. */
#include "arguments.h"
#include "cell.h"
#include "duration.h"
#include "exchange.h"

#include <fermata/fermata.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, FAILURE = 1, WRONG_USAGE = 2 };

typedef struct options {
    variant kind;
    int points, iterations;
    double work;      /* seconds for a cell in a stage */
    double imbalance; /* additional duration on this rank, in percent */
    int rotation;     /* ... on another rank in each stage */
    bool busy, help;
} options;

typedef struct solver {
    const options *o;
    int rank, size;
    long stages; /* computed so far */
    cell *cells; /* [size] of this rank: cell i is at column i and row (i + rank) % size */
    double *buffer;
    exchange x;
} solver;

static const char usage[] =
    "usage: bt-rma [OPTIONS]\n"
    "Solves block-tridiagonal systems along both axes of a grid; needs 2 ranks or more.\n"
    "  --variant V          fence-only, gats-fence, gats-single (default) or gats-multi\n"
    "  --points N           grid points along an axis of a cell (default 8)\n"
    "  --iterations N       (default 5)\n"
    "  --work SECONDS       time that a cell takes in each stage of a sweep, besides its\n"
    "                       arithmetic (default 0.002)\n"
    "  --imbalance P[:R,..] stages take P percent longer on ranks R (default: the last)\n"
    "  --rotate P           each stage takes P percent longer on another rank\n"
    "  --busy               compute for this time; default: sleep\n"
    "  --help               print this text\n";

/* Returns false, with the reason in `why`, for a wrong argument. */
static bool read_options(options *o, int argc, char **argv, int rank, int size, char *why,
                         size_t why_size)
{
    enum { VARIANT = 1, POINTS, ITERATIONS, WORK, IMBALANCE, ROTATE, BUSY, HELP };
    static const struct option known[] = {{"variant", required_argument, NULL, VARIANT},
                                          {"points", required_argument, NULL, POINTS},
                                          {"iterations", required_argument, NULL, ITERATIONS},
                                          {"work", required_argument, NULL, WORK},
                                          {"imbalance", required_argument, NULL, IMBALANCE},
                                          {"rotate", required_argument, NULL, ROTATE},
                                          {"busy", no_argument, NULL, BUSY},
                                          {"help", no_argument, NULL, HELP},
                                          {NULL, 0, NULL, 0}};
    *o = (options){.kind = GATS_SINGLE, .points = 8, .iterations = 5, .work = 0.002};
    opterr = 0;
    int choice;
    while ((choice = getopt_long(argc, argv, "+:", known, NULL)) != -1) {
        const char *expected = NULL;
        switch (choice) {
        case VARIANT:
            o->kind = FENCE_ONLY;
            while (o->kind < VARIANTS && strcmp(optarg, variant_names[o->kind]) != 0)
                o->kind++;
            if (o->kind == VARIANTS)
                expected = "--variant needs fence-only, gats-fence, gats-single or gats-multi";
            break;
        case POINTS:
            if (!read_count(optarg, 1, 10000, &o->points))
                expected = "--points needs a number from 1 to 10000";
            break;
        case ITERATIONS:
            if (!read_count(optarg, 1, 1000000, &o->iterations))
                expected = "--iterations needs a number from 1 to 1000000";
            break;
        case WORK:
            if (!read_seconds(optarg, &o->work))
                expected = "--work needs seconds from 0 to 3600";
            break;
        case IMBALANCE:
            if (!read_imbalance(optarg, rank, size, &o->imbalance))
                expected = "--imbalance needs a percentage and, after a colon, ranks";
            break;
        case ROTATE:
            if (!read_count(optarg, 0, 10000, &o->rotation))
                expected = "--rotate needs a percentage from 0 to 10000";
            break;
        case BUSY:
            o->busy = true;
            break;
        case HELP:
            o->help = true;
            break;
        default:
            snprintf(why, why_size, "%s %.100s", choice == ':' ? "no value for" : "unknown option",
                     argv[optind - 1]);
            return false;
        }
        if (expected != NULL) {
            snprintf(why, why_size, "%s, not \"%.100s\"", expected, optarg);
            return false;
        }
    }
    if (optind < argc) {
        snprintf(why, why_size, "unexpected argument \"%.100s\"", argv[optind]);
        return false;
    }
    if (size < 2) {
        snprintf(why, why_size, "needs 2 ranks or more");
        return false;
    }
    return true;
}

/* ---- the solver ---- */

static int row_of(const solver *s, int number)
{
    return (number + s->rank) % s->size;
}

/* Each face is put into the neighbouring cell's memory, as the face of its opposite side. */
static void copy_faces(solver *s)
{
    FERMATA_SCOPE("copy_faces");
    const int last = s->size - 1;
    double *next = s->buffer;
    exchange_faces_begin(&s->x);
    for (int i = 0; i < s->size; i++) {
        const int y = row_of(s, i);
        const struct {
            side from;
            bool exists;
            int rank, number;
        } faces[] = {{LOWER_X, i > 0, s->x.behind, SIDES * (i - 1) + UPPER_X},
                     {UPPER_X, i < last, s->x.before, SIDES * (i + 1) + LOWER_X},
                     {LOWER_Y, y > 0, s->x.before, SIDES * i + UPPER_Y},
                     {UPPER_Y, y < last, s->x.behind, SIDES * i + LOWER_Y}};
        for (int f = 0; f < SIDES; f++) {
            if (faces[f].exists) {
                cell_copy_face(&s->cells[i], faces[f].from, next);
                exchange_put_face(&s->x, faces[f].rank, faces[f].number, next);
                next += COMPONENTS * s->o->points;
            }
        }
    }
    exchange_faces_end(&s->x);
    for (int i = 0; i < s->size; i++) {
        const int y = row_of(s, i);
        const bool exists[] = {i > 0, i<last, y> 0, y < last};
        for (int f = 0; f < SIDES; f++)
            cell_set_face(&s->cells[i], (side)f,
                          exists[f] ? exchange_face(&s->x, SIDES * i + f) : NULL);
    }
}

static void rhs(solver *s)
{
    FERMATA_SCOPE("rhs");
    for (int i = 0; i < s->size; i++)
        cell_rhs(&s->cells[i]);
}

/* The time that a stage takes besides its arithmetic. */
static void take_time(solver *s)
{
    const bool is_late = s->stages++ % s->size == s->rank;
    const double percent = 100 + s->o->imbalance + (is_late ? s->o->rotation : 0);
    (s->o->busy ? work_for : sleep_for)(s->o->work * percent / 100);
}

/* A cell's part of a sweep: what it passes on is in the buffer then. */
static void solve_cell(solver *s, int axis, bool up, int place, const double *in)
{
    FERMATA_SCOPE("solve_cell");
    cell *c = &s->cells[axis == 0 ? place : (place - s->rank + s->size) % s->size];
    if (up)
        cell_eliminate(c, axis, in, s->buffer);
    else
        cell_substitute(c, axis, in, s->buffer);
    take_time(s);
}

static void solve(solver *s, int axis)
{
    for (int down = 0; down < 2; down++) {
        const channel c = (channel)(X_UP + 2 * axis + down);
        const double *in = NULL;
        for (int stage = 0; stage < s->size; stage++) {
            const bool is_last = stage == s->size - 1;
            if (stage > 0)
                in = exchange_take(&s->x, c, stage);
            if (!is_last)
                exchange_expect(&s->x, c);
            solve_cell(s, axis, !down, down ? s->size - 1 - stage : stage, in);
            if (!is_last)
                exchange_pass(&s->x, c, stage, s->buffer);
        }
    }
}

static void x_solve(solver *s)
{
    FERMATA_SCOPE("x_solve");
    solve(s, 0);
}

static void y_solve(solver *s)
{
    FERMATA_SCOPE("y_solve");
    solve(s, 1);
}

static void add(solver *s)
{
    FERMATA_SCOPE("add");
    for (int i = 0; i < s->size; i++)
        cell_add(&s->cells[i]);
}

/* ---- the same on one rank ---- */

/* Sweeps through all cells of the grid: cell x, y is all[x * size + y]. */
static void solve_serially(cell *all, int size, int axis, double *buffer)
{
    for (int line = 0; line < size; line++) {
        for (int down = 0; down < 2; down++) {
            for (int stage = 0; stage < size; stage++) {
                const int place = down ? size - 1 - stage : stage;
                cell *c = &all[axis == 0 ? place * size + line : line * size + place];
                (down ? cell_substitute : cell_eliminate)(c, axis, stage > 0 ? buffer : NULL,
                                                          buffer);
            }
        }
    }
}

static void iterate_serially(cell *all, int size, double *buffer)
{
    for (int x = 0; x < size; x++) {
        for (int y = 0; y < size; y++) {
            const cell *beside[] = {x > 0 ? &all[(x - 1) * size + y] : NULL,
                                    x + 1 < size ? &all[(x + 1) * size + y] : NULL,
                                    y > 0 ? &all[x * size + y - 1] : NULL,
                                    y + 1 < size ? &all[x * size + y + 1] : NULL};
            for (int f = 0; f < SIDES; f++) {
                if (beside[f] != NULL)
                    cell_copy_face(beside[f], (side)(f ^ 1), buffer);
                cell_set_face(&all[x * size + y], (side)f, beside[f] != NULL ? buffer : NULL);
            }
        }
    }
    for (int i = 0; i < size * size; i++)
        cell_rhs(&all[i]);
    solve_serially(all, size, 0, buffer);
    solve_serially(all, size, 1, buffer);
    for (int i = 0; i < size * size; i++)
        cell_add(&all[i]);
}

/* Whether the cells of this rank are exactly what one rank computes for the whole grid. */
static bool is_right(const solver *s)
{
    const int size = s->size;
    const size_t bytes =
        COMPONENTS * (size_t)(s->o->points + 2) * (size_t)(s->o->points + 2) * sizeof(double);
    cell *all = calloc((size_t)size * (size_t)size, sizeof *all);
    bool right = all != NULL;
    for (int i = 0; right && i < size * size; i++)
        right = cell_create(&all[i], s->o->points, i / size, i % size);
    for (int i = 0; right && i < s->o->iterations; i++)
        iterate_serially(all, size, s->buffer);
    for (int i = 0; right && i < size; i++) {
        /* The faces of the last iteration are those from before it on both sides. */
        right = memcmp(all[i * size + row_of(s, i)].u, s->cells[i].u, bytes) == 0;
    }
    for (int i = 0; all != NULL && i < size * size; i++)
        cell_destroy(&all[i]);
    free(all);
    return right;
}

/* ---- the run ---- */

static int run(const options *o, int rank, int size)
{
    solver s = {.o = o, .rank = rank, .size = size, .cells = calloc((size_t)size, sizeof(cell))};
    const size_t face = (size_t)o->points * COMPONENTS;
    s.buffer = calloc((size_t)size * SIDES * face + (size_t)o->points * PASSED_UP, sizeof(double));
    int right = s.cells != NULL && s.buffer != NULL;
    for (int i = 0; right && i < size; i++)
        right = cell_create(&s.cells[i], o->points, i, row_of(&s, i));
    MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (right) {
        exchange_create(&s.x, o->kind, size, o->points);
        for (int i = 0; i < o->iterations; i++) {
            FERMATA_ITERATION("iteration");
            copy_faces(&s);
            rhs(&s);
            x_solve(&s);
            y_solve(&s);
            add(&s);
        }
        FERMATA_ITERATIONS_END("iteration");
        exchange_destroy(&s.x);
        right = is_right(&s);
        MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("bt-rma: %s, %d ranks, %d iterations, the solution is %s\n", variant_names[o->kind],
               size, o->iterations, right ? "right" : "wrong");
    for (int i = 0; s.cells != NULL && i < size; i++)
        cell_destroy(&s.cells[i]);
    free(s.cells);
    free(s.buffer);
    return right ? SUCCESS : FAILURE;
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
    if (!read_options(&o, argc, argv, rank, size, why, sizeof why)) {
        if (rank == 0)
            fprintf(stderr, "bt-rma: %s (try --help)\n", why);
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
