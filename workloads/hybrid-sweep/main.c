/* SPDX-License-Identifier: BSD-3-Clause */
/* hybrid-sweep: a sweep through a grid, pipelined over MPI processes; OpenMP threads share the
 * angles (modelled on SWEEP3D; Wolf 2002, section 5.4). A process has a strip of columns. For each
 * block of rows it receives the values left of its strip, a message for each group of angles,
 * computes the groups one after another, and sends each group's last column to the right as soon as
 * it is computed. All messages are received before the first group is computed: outside of parallel
 * regions, where the other threads are idle. `--reverse` receives them in the reverse order.
 * `--uneven` makes the last angles of a group take longer: with a static schedule the last threads
 * delay their team. Each process compares its values with those of a serial computation. */
#include "arguments.h"
#include "duration.h"

#include <getopt.h>
#include <mpi.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, FAILURE = 1, WRONG_USAGE = 2 };

typedef struct options {
    int rows, columns, block, angles, groups;
    double work,
        uneven; /* seconds of an angle in a block, asleep; so many percent more in the last ones */
    bool reverse, dynamic, help;
} options;

/* Columns begin .. end - 1 of the grid; column 0 and row 0 of the values are those before. */
typedef struct strip {
    int begin, end, rows, angles;
    double *values; /* [angle][row + 1][column + 1] */
} strip;

static const char usage[] =
    "usage: hybrid-sweep [OPTIONS]\n"
    "A sweep through a grid, by a pipeline of MPI processes with OpenMP threads.\n"
    "  --size NXxNY      rows and columns (default 64x64)\n"
    "  --block N         rows of a block (default 8)\n"
    "  --angles N        directions (default 16)\n"
    "  --groups N        the angles are computed and sent in so many groups (default 2)\n"
    "  --work SECONDS    additional time of an angle in a block, asleep (default 0.0005)\n"
    "  --uneven PERCENT  the second half of the angles of a group takes longer by so much\n"
    "                    (default 100)\n"
    "  --reverse         receive the groups in the reverse order\n"
    "  --dynamic         schedule(dynamic, 1) instead of schedule(static)\n"
    "  --help            print this text\n";

/* Returns false, with the reason in `why`, for a wrong argument. */
static bool read_options(options *o, int argc, char **argv, int size, char *why, size_t why_size)
{
    static const struct option known[] = {
        {"size", required_argument, NULL, 's'},   {"block", required_argument, NULL, 'b'},
        {"angles", required_argument, NULL, 'a'}, {"groups", required_argument, NULL, 'g'},
        {"work", required_argument, NULL, 'w'},   {"uneven", required_argument, NULL, 'u'},
        {"reverse", no_argument, NULL, 'r'},      {"dynamic", no_argument, NULL, 'd'},
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}};
    *o = (options){.rows = 64,
                   .columns = 64,
                   .block = 8,
                   .angles = 16,
                   .groups = 2,
                   .work = 5e-4,
                   .uneven = 100};
    opterr = 0;
    int choice;
    char *end = NULL;
    bool valid = true;
    while (valid && (choice = getopt_long(argc, argv, "+", known, NULL)) != -1) {
        switch (choice) {
        case 's':
            valid = read_size(optarg, &o->rows, &o->columns);
            break;
        case 'b':
            valid = read_count(optarg, 1, 1000000, &o->block);
            break;
        case 'a':
            valid = read_count(optarg, 1, 10000, &o->angles);
            break;
        case 'g':
            valid = read_count(optarg, 1, 10000, &o->groups);
            break;
        case 'w':
            valid = read_seconds(optarg, &o->work);
            break;
        case 'u':
            valid = read_real(optarg, &o->uneven, &end) && *end == '\0';
            break;
        case 'r':
            o->reverse = true;
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
    else if (o->columns < size)
        snprintf(why, why_size, "%d columns are too few for %d processes", o->columns, size);
    else if (o->angles % o->groups != 0)
        snprintf(why, why_size, "%d angles are no multiple of %d groups", o->angles, o->groups);
    else
        return true;
    return false;
}

static double *value(const strip *s, int angle, int row, int column)
{
    const size_t line = (size_t)(s->end - s->begin + 1);
    return s->values + ((size_t)angle * (size_t)(s->rows + 1) + (size_t)(row + 1)) * line +
           (column - s->begin + 1);
}

static void make_strip(strip *s, const options *o, int begin, int end)
{
    *s = (strip){.begin = begin, .end = end, .rows = o->rows, .angles = o->angles};
    s->values = calloc((size_t)o->angles * (size_t)(o->rows + 1) * (size_t)(end - begin + 1),
                       sizeof *s->values);
    if (s->values == NULL)
        MPI_Abort(MPI_COMM_WORLD, FAILURE);
    for (int a = 0; a < o->angles; a++) {
        for (int column = begin - 1; column < end; column++)
            *value(s, a, -1, column) = 1.0 + 0.01 * a;
        for (int row = -1; row < o->rows && begin == 0; row++)
            *value(s, a, row, -1) = 2.0 - 0.01 * a;
    }
}

static void compute_angle(const strip *s, int angle, int first, int last)
{
    const double right = 0.25 + 0.5 * angle / s->angles;
    for (int row = first; row < last; row++)
        for (int column = s->begin; column < s->end; column++)
            *value(s, angle, row, column) = right * *value(s, angle, row, column - 1) +
                                            (1.0 - right) * *value(s, angle, row - 1, column) +
                                            1e-3 * ((row + column) % 7);
}

static __attribute__((noinline)) void angle_of_block(const strip *s, const options *o, int angle,
                                                     int first, int last)
{
    const int in_group = angle % (o->angles / o->groups);
    const bool is_long = 2 * in_group >= o->angles / o->groups;
    sleep_for(o->work * (is_long ? 1.0 + o->uneven / 100.0 : 1.0));
    compute_angle(s, angle, first, last);
}

static __attribute__((noinline)) void compute_group(const strip *s, const options *o, int group,
                                                    int first, int last)
{
    const int angles = o->angles / o->groups, begin = group * angles, end = begin + angles;
#pragma omp parallel
    {
        if (o->dynamic) {
#pragma omp for schedule(dynamic, 1)
            for (int angle = begin; angle < end; angle++)
                angle_of_block(s, o, angle, first, last);
        } else {
#pragma omp for schedule(static)
            for (int angle = begin; angle < end; angle++)
                angle_of_block(s, o, angle, first, last);
        }
    }
}

/* Copies a column of the angles of a group from the strip (to_strip: to it). */
static void copy_column(const strip *s, const options *o, int group, int column, int first,
                        int last, double *message, bool to_strip)
{
    const int angles = o->angles / o->groups;
    for (int a = 0; a < angles; a++)
        for (int row = first; row < last; row++) {
            double *const in_strip = value(s, group * angles + a, row, column);
            double *const in_message = message + a * (last - first) + (row - first);
            *(to_strip ? in_strip : in_message) = *(to_strip ? in_message : in_strip);
        }
}

static __attribute__((noinline)) void receive_block(const strip *s, const options *o, int rank,
                                                    int first, int last, double *message)
{
    const int count = o->angles / o->groups * (last - first);
    for (int i = 0; rank > 0 && i < o->groups; i++) {
        const int group = o->reverse ? o->groups - 1 - i : i;
        MPI_Recv(message, count, MPI_DOUBLE, rank - 1, group, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        copy_column(s, o, group, s->begin - 1, first, last, message, true);
    }
}

static __attribute__((noinline)) void send_group(const strip *s, const options *o, int rank,
                                                 int size, int group, int first, int last,
                                                 double *message)
{
    if (rank == size - 1)
        return;
    copy_column(s, o, group, s->end - 1, first, last, message, false);
    MPI_Send(message, o->angles / o->groups * (last - first), MPI_DOUBLE, rank + 1, group,
             MPI_COMM_WORLD);
}

static void sweep(const strip *s, const options *o, int rank, int size)
{
    double *const message =
        malloc((size_t)(o->angles / o->groups) * (size_t)o->block * sizeof *message);
    if (message == NULL)
        MPI_Abort(MPI_COMM_WORLD, FAILURE);
    for (int first = 0; first < o->rows; first += o->block) {
        const int last = first + o->block < o->rows ? first + o->block : o->rows;
        receive_block(s, o, rank, first, last, message);
        for (int group = 0; group < o->groups; group++) {
            compute_group(s, o, group, first, last);
            send_group(s, o, rank, size, group, first, last, message);
        }
    }
    free(message);
}

/* Compares with a serial computation of the whole grid. */
static bool is_correct(const strip *s, const options *o)
{
    strip whole;
    make_strip(&whole, o, 0, o->columns);
    bool same = true;
    for (int a = 0; a < o->angles; a++) {
        compute_angle(&whole, a, 0, o->rows);
        for (int row = 0; row < o->rows; row++)
            same = same && memcmp(value(&whole, a, row, s->begin), value(s, a, row, s->begin),
                                  (size_t)(s->end - s->begin) * sizeof(double)) == 0;
    }
    free(whole.values);
    return same;
}

static int run(const options *o, int rank, int size)
{
    strip s;
    make_strip(&s, o, (int)((long)o->columns * rank / size),
               (int)((long)o->columns * (rank + 1) / size));
    sweep(&s, o, rank, size);
    int correct = is_correct(&s, o), all = 0;
    MPI_Allreduce(&correct, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank == 0)
        printf("hybrid-sweep: %d x %d points, %d angles, %s\n", o->rows, o->columns, o->angles,
               all ? "correct" : "wrong");
    free(s.values);
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
    if (!read_options(&o, argc, argv, size, why, sizeof why)) {
        if (rank == 0)
            fprintf(stderr, "hybrid-sweep: %s (try --help)\n", why);
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
