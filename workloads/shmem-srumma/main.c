/* SPDX-License-Identifier: BSD-3-Clause */
/* shmem-srumma: multiplies two distributed matrices by one-sided gets of OpenSHMEM
 * (common/block_multiply.h). While a PE multiplies two blocks it gets the next two by
 * shmem_double_get_nbi; shmem_quiet completes them. A quiet and a barrier end each multiplication.
 */
#include "srumma_options.h"

#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFERS = 2 };

static const char usage[] = "usage: shmem-srumma [OPTIONS]\n"
                            "Multiplies two distributed matrices by one-sided gets of "
                            "OpenSHMEM.\n" SRUMMA_USAGE;

static struct srumma_options options = SRUMMA_DEFAULTS;
static struct block_grid grid;
static int me;

/* Symmetric. */
static double *matrices[FACTORS];
static double sum, all_sum;
static int wrong, all_wrong;
static double sum_work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static int wrong_work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static long sum_sync[SHMEM_REDUCE_SYNC_SIZE], wrong_sync[SHMEM_REDUCE_SYNC_SIZE];

/* The blocks of two products in turn: where they arrive, and where they are. */
static double *buffers[BUFFERS][FACTORS];
static const double *operands[BUFFERS][FACTORS];

static void read_options(int argc, char **argv)
{
    for (int i = 1; i < argc; i += 2) {
        if (!srumma_read_option(&options, argv[i], i + 1 < argc ? argv[i + 1] : "")) {
            if (me == 0) {
                fputs(usage, stderr);
            }
            shmem_global_exit(2);
        }
    }
}

static double *zeros(size_t elements)
{
    double *memory = calloc(elements, sizeof *memory);
    if (memory == NULL) {
        fprintf(stderr, "shmem-srumma: no memory\n");
        shmem_global_exit(1);
    }
    return memory;
}

/* Begins to get a block unless this PE owns it. @return where it is when shmem_quiet has returned
 */
static const double *get_block(enum factor factor, int row, int column, double *buffer)
{
    const int owner = block_owner(&grid, row, column);
    const double *place = matrices[factor] + block_place(&grid, row, column);
    if (owner == me) {
        return place;
    }
    shmem_double_get_nbi(buffer, place, block_elements(&grid), owner);
    return buffer;
}

/* Begins to get the blocks of a product. */
static void get_operands(int number)
{
    const struct block_task task = block_task(&grid, me, number);
    const int turn = number % BUFFERS;
    operands[turn][LEFT] = get_block(LEFT, task.row, task.inner, buffers[turn][LEFT]);
    operands[turn][RIGHT] = get_block(RIGHT, task.inner, task.column, buffers[turn][RIGHT]);
}

/* Computes all blocks of the product that this PE owns. */
static void multiply(double *product)
{
    const int tasks = block_tasks(&grid, me);
    memset(product, 0, block_memory(&grid) * sizeof *product);
    if (tasks > 0) {
        get_operands(0);
    }
    for (int number = 0; number < tasks; number++) {
        const int turn = number % BUFFERS;
        const struct block_task task = block_task(&grid, me, number);
        shmem_quiet();
        if (number + 1 < tasks) {
            get_operands(number + 1);
        }
        come_late(&options, me);
        block_multiply(grid.length, operands[turn][LEFT], operands[turn][RIGHT],
                       product + block_place(&grid, task.row, task.column));
    }
}

static void report(const double *product)
{
    const int pes = shmem_n_pes();
    sum = block_sum(&grid, me, product);
    wrong = !block_is_right(&grid, me, product);
    shmem_double_sum_to_all(&all_sum, &sum, 1, 0, 0, pes, sum_work, sum_sync);
    shmem_int_max_to_all(&all_wrong, &wrong, 1, 0, 0, pes, wrong_work, wrong_sync);
    if (me == 0) {
        srumma_print("shmem-srumma", &options, all_sum, all_wrong == 0);
    }
    shmem_barrier_all();
    if (all_wrong) {
        shmem_global_exit(1);
    }
}

int main(int argc, char **argv)
{
    shmem_init();
    me = shmem_my_pe();
    read_options(argc, argv);
    grid = block_grid(shmem_n_pes(), options.blocks, options.length);
    for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++) {
        sum_sync[i] = wrong_sync[i] = SHMEM_SYNC_VALUE;
    }
    for (int factor = 0; factor < FACTORS; factor++) {
        matrices[factor] = shmem_malloc(block_memory(&grid) * sizeof(double));
        block_fill(&grid, (enum factor)factor, me, matrices[factor]);
        for (int turn = 0; turn < BUFFERS; turn++) {
            buffers[turn][factor] = zeros(block_elements(&grid));
        }
    }
    double *product = zeros(block_memory(&grid));
    shmem_barrier_all();
    for (int repeat = 0; repeat < options.repeats; repeat++) {
        multiply(product);
        shmem_quiet();
        shmem_barrier_all();
    }
    report(product);
    for (int factor = 0; factor < FACTORS; factor++) {
        shmem_free(matrices[factor]);
        for (int turn = 0; turn < BUFFERS; turn++) {
            free(buffers[turn][factor]);
        }
    }
    free(product);
    shmem_finalize();
    return 0;
}
