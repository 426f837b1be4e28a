/* SPDX-License-Identifier: BSD-3-Clause */
/* srumma-armci: multiplies two distributed matrices by one-sided gets of ARMCI
 * (common/block_multiply.h). While a process multiplies two blocks it gets the next two by
 * ARMCI_NbGet; ARMCI_Wait completes each. A fence and a barrier end each multiplication. */
#include "srumma_options.h"

#include <armci.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFERS = 2 };

static const char usage[] =
    "usage: srumma-armci [OPTIONS]\n"
    "Multiplies two distributed matrices by one-sided gets of ARMCI.\n" SRUMMA_USAGE;

static struct srumma_options options = SRUMMA_DEFAULTS;
static struct block_grid grid;
static int me, processes;

/* By factor and process: memory that every process can get from. */
static double **matrices[FACTORS];

/* The blocks of two products in turn: where they arrive, where they are, and what completes their
 * gets. */
static double *buffers[BUFFERS][FACTORS];
static const double *operands[BUFFERS][FACTORS];
static armci_hdl_t handles[BUFFERS][FACTORS];

static void read_options(int argc, char **argv)
{
    for (int i = 1; i < argc; i += 2) {
        if (!srumma_read_option(&options, argv[i], i + 1 < argc ? argv[i + 1] : "")) {
            if (me == 0) {
                fputs(usage, stderr);
            }
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
    }
}

static void *zeros(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL) {
        fprintf(stderr, "srumma-armci: no memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

/* Begins to get a block unless this process owns it. */
static void get_block(enum factor factor, int row, int column, int turn)
{
    const int owner = block_owner(&grid, row, column);
    double *place = matrices[factor][owner] + block_place(&grid, row, column);
    if (owner == me) {
        operands[turn][factor] = place;
        return;
    }
    ARMCI_INIT_HANDLE(&handles[turn][factor]);
    ARMCI_NbGet(place, buffers[turn][factor], (int)(block_elements(&grid) * sizeof *place), owner,
                &handles[turn][factor]);
    operands[turn][factor] = buffers[turn][factor];
}

/* Begins to get the blocks of a product. */
static void get_operands(int number)
{
    const struct block_task task = block_task(&grid, me, number);
    get_block(LEFT, task.row, task.inner, number % BUFFERS);
    get_block(RIGHT, task.inner, task.column, number % BUFFERS);
}

static void complete_operands(int turn)
{
    for (int factor = 0; factor < FACTORS; factor++) {
        if (operands[turn][factor] == buffers[turn][factor]) {
            ARMCI_Wait(&handles[turn][factor]);
        }
    }
}

/* Computes all blocks of the product that this process owns. */
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
        complete_operands(turn);
        if (number + 1 < tasks) {
            get_operands(number + 1);
        }
        come_late(&options, me);
        block_multiply(grid.length, operands[turn][LEFT], operands[turn][RIGHT],
                       product + block_place(&grid, task.row, task.column));
    }
}

static int report(const double *product)
{
    double sum = block_sum(&grid, me, product);
    int wrong = !block_is_right(&grid, me, product);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (me == 0) {
        srumma_print("srumma-armci", &options, sum, !wrong);
    }
    return wrong;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    read_options(argc, argv);
    ARMCI_Init();
    grid = block_grid(processes, options.blocks, options.length);
    for (int factor = 0; factor < FACTORS; factor++) {
        matrices[factor] = zeros((size_t)processes, sizeof *matrices[factor]);
        ARMCI_Malloc((void **)matrices[factor],
                     (armci_size_t)(block_memory(&grid) * sizeof(double)));
        ARMCI_Access_begin(matrices[factor][me]);
        block_fill(&grid, (enum factor)factor, me, matrices[factor][me]);
        ARMCI_Access_end(matrices[factor][me]);
        for (int turn = 0; turn < BUFFERS; turn++) {
            buffers[turn][factor] = zeros(block_elements(&grid), sizeof(double));
        }
    }
    double *product = zeros(block_memory(&grid), sizeof *product);
    ARMCI_Barrier();
    for (int repeat = 0; repeat < options.repeats; repeat++) {
        multiply(product);
        ARMCI_AllFence();
        ARMCI_Barrier();
    }
    int wrong = report(product);
    for (int factor = 0; factor < FACTORS; factor++) {
        ARMCI_Free(matrices[factor][me]);
        free(matrices[factor]);
        for (int turn = 0; turn < BUFFERS; turn++) {
            free(buffers[turn][factor]);
        }
    }
    free(product);
    ARMCI_Finalize();
    MPI_Finalize();
    return wrong;
}
