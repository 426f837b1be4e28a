/* SPDX-License-Identifier: BSD-3-Clause */
/* Poisson's equation by red-black successive over-relaxation, in OpenSHMEM (usage() lists the
 * options). Each PE has a strip of rows. Behind each half-sweep a PE puts its outer rows into its
 * neighbours' memory, and behind them a flag, for which the neighbours wait. Halos are used in
 * turn: one is overwritten only when its PE has finished the half-sweep that reads it. At the end
 * all PEs compare their rows with a serial computation. */
#include <math.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COLOURS = 2 };

static struct {
    int size, iterations, late_pe, late_milliseconds, unverified;
} options = {.size = 64, .iterations = 20, .late_pe = -1};

/* Symmetric: what the neighbours write. */
static long above_done, below_done; /* last half-sweep whose row has arrived */
static double *above[COLOURS], *below[COLOURS];
static double largest, all_largest, work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static long reduce_sync[SHMEM_REDUCE_SYNC_SIZE];

static int me, pes;

static void usage(void)
{
    fprintf(stderr, "usage: shmem-sor [--size N] [--iterations N] [--late MILLISECONDS:PE] "
                    "[--verify yes|no]\n"
                    "  --late    this PE comes late to each exchange\n"
                    "  --verify  compare with a serial computation (default: yes)\n");
    exit(2);
}

static void read_options(int argc, char **argv)
{
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--size") == 0) {
            options.size = atoi(value);
        } else if (strcmp(argv[i], "--iterations") == 0) {
            options.iterations = atoi(value);
        } else if (strcmp(argv[i], "--verify") == 0) {
            options.unverified = strcmp(value, "no") == 0;
        } else if (strcmp(argv[i], "--late") != 0 ||
                   sscanf(value, "%d:%d", &options.late_milliseconds, &options.late_pe) != 2) {
            usage();
        }
    }
    if (options.size < pes || options.iterations < 1) {
        usage();
    }
}

/* A half-sweep over the cells of a colour of `count` rows, the first of which is row `first` of the
 * grid; rows have a border on both sides. @return the largest change */
static double sweep(double *rows, int first, int count, int colour)
{
    const double factor = 1.7, source = 1.0 / (options.size * (double)options.size);
    const size_t length = (size_t)options.size + 2;
    double most = 0;
    for (int i = 1; i <= count; i++) {
        double *row = rows + (size_t)i * length;
        for (size_t j = 1 + (size_t)((first + i + colour) % 2); j <= (size_t)options.size; j += 2) {
            double mean = (row[j - 1] + row[j + 1] + row[j - length] + row[j + length]) / 4;
            double change = factor * (mean + source / 4 - row[j]);
            row[j] += change;
            most = fabs(change) > most ? fabs(change) : most;
        }
    }
    return most;
}

__attribute__((noinline)) static void come_late(void)
{
    const struct timespec time = {.tv_sec = options.late_milliseconds / 1000,
                                  .tv_nsec = options.late_milliseconds % 1000 * 1000000L};
    nanosleep(&time, NULL);
}

/* Gives the outer rows to the neighbours and waits for theirs. */
static void exchange(double *rows, int count, long half_sweep)
{
    const size_t length = (size_t)options.size + 2;
    const int turn = (int)(half_sweep % COLOURS);
    if (me == options.late_pe) {
        come_late();
    }
    if (me > 0) {
        shmem_double_put(below[turn], rows + length, length, me - 1);
    }
    if (me < pes - 1) {
        shmem_double_put(above[turn], rows + (size_t)count * length, length, me + 1);
    }
    shmem_fence();
    if (me > 0) {
        shmem_long_p(&below_done, half_sweep, me - 1);
        shmem_long_wait_until(&above_done, SHMEM_CMP_GE, half_sweep);
        memcpy(rows, above[turn], length * sizeof *rows);
    }
    if (me < pes - 1) {
        shmem_long_p(&above_done, half_sweep, me + 1);
        shmem_long_wait_until(&below_done, SHMEM_CMP_GE, half_sweep);
        memcpy(rows + (size_t)(count + 1) * length, below[turn], length * sizeof *rows);
    }
}

static double *zeros(int rows)
{
    double *memory = calloc((size_t)(rows + 2) * (size_t)(options.size + 2), sizeof *memory);
    if (memory == NULL) {
        shmem_global_exit(1);
    }
    return memory;
}

/* @return whether the rows are those of a serial computation */
static int is_right(const double *rows, int first, int count)
{
    const size_t length = (size_t)options.size + 2;
    double *all = zeros(options.size);
    for (int half = 0; half < COLOURS * options.iterations; half++) {
        sweep(all, 0, options.size, half % COLOURS);
    }
    int same = memcmp(all + (size_t)(first + 1) * length, rows + length,
                      (size_t)count * length * sizeof *rows) == 0;
    free(all);
    return same;
}

int main(int argc, char **argv)
{
    shmem_init();
    me = shmem_my_pe();
    pes = shmem_n_pes();
    read_options(argc, argv);
    for (size_t i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++) {
        reduce_sync[i] = SHMEM_SYNC_VALUE;
    }
    for (int turn = 0; turn < COLOURS; turn++) {
        above[turn] = shmem_malloc(((size_t)options.size + 2) * sizeof(double));
        below[turn] = shmem_malloc(((size_t)options.size + 2) * sizeof(double));
    }
    int first = options.size * me / pes, count = options.size * (me + 1) / pes - first;
    double *rows = zeros(count);
    shmem_barrier_all();
    for (int half = 0; half < COLOURS * options.iterations; half++) {
        double change = sweep(rows, first, count, half % COLOURS);
        largest = half % COLOURS == 0 || change > largest ? change : largest;
        exchange(rows, count, half + 1);
    }
    shmem_double_max_to_all(&all_largest, &largest, 1, 0, 0, pes, work, reduce_sync);
    if (!options.unverified && !is_right(rows, first, count)) {
        fprintf(stderr, "shmem-sor: PE %d: wrong result\n", me);
        shmem_global_exit(1);
    }
    shmem_barrier_all();
    if (me == 0) {
        printf("shmem-sor: %d iterations, last change %.15e, %s\n", options.iterations, all_largest,
               options.unverified ? "not compared" : "right");
        fflush(stdout);
    }
    shmem_finalize();
    free(rows);
    return 0;
}
