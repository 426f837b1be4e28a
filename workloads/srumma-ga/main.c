/* SPDX-License-Identifier: BSD-3-Clause */
/* srumma-ga: multiplies two distributed matrices by one-sided gets of Global Arrays
 * (common/block_multiply.h). A matrix is an array with a row for each of its blocks, which no
 * process needs to know the owner of. While a process multiplies two blocks it gets the next two by
 * NGA_NbGet; NGA_NbWait completes each. GA_Sync ends each multiplication. */
#include "srumma_options.h"

#include <ga.h>
#include <macdecls.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFERS = 2 };

static const char usage[] =
    "usage: srumma-ga [OPTIONS]\n"
    "Multiplies two distributed matrices by one-sided gets of Global Arrays.\n" SRUMMA_USAGE;

static struct srumma_options options = SRUMMA_DEFAULTS;
static struct block_grid grid;
static int me;
static int matrices[FACTORS]; /* handles */

/* The blocks of two products in turn, and what completes their gets. */
static double *operands[BUFFERS][FACTORS];
static ga_nbhdl_t handles[BUFFERS][FACTORS];

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

static double *zeros(size_t elements)
{
    double *memory = calloc(elements, sizeof *memory);
    if (memory == NULL) {
        fprintf(stderr, "srumma-ga: no memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

/* First and last element of a block, in the array of its matrix. */
struct patch {
    int low[2], high[2];
};

static struct patch patch_of(int row, int column)
{
    const int number = row * grid.blocks + column, last = (int)block_elements(&grid) - 1;
    return (struct patch){{number, 0}, {number, last}};
}

static void make_matrix(enum factor factor)
{
    int length = (int)block_elements(&grid);
    int sizes[] = {grid.blocks * grid.blocks, length}, whole_rows[] = {-1, length};
    double *own = zeros(block_memory(&grid));
    matrices[factor] = NGA_Create(C_DBL, 2, sizes, factor == LEFT ? "left" : "right", whole_rows);
    block_fill(&grid, factor, me, own);
    for (int row = 0; row < grid.blocks; row++) {
        for (int column = 0; column < grid.blocks; column++) {
            if (block_owner(&grid, row, column) == me) {
                struct patch patch = patch_of(row, column);
                NGA_Put(matrices[factor], patch.low, patch.high,
                        own + block_place(&grid, row, column), &length);
            }
        }
    }
    free(own);
}

static void get_block(enum factor factor, int row, int column, int turn)
{
    int length = (int)block_elements(&grid);
    struct patch patch = patch_of(row, column);
    NGA_NbGet(matrices[factor], patch.low, patch.high, operands[turn][factor], &length,
              &handles[turn][factor]);
}

/* Begins to get the blocks of a product. */
static void get_operands(int number)
{
    const struct block_task task = block_task(&grid, me, number);
    get_block(LEFT, task.row, task.inner, number % BUFFERS);
    get_block(RIGHT, task.inner, task.column, number % BUFFERS);
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
        NGA_NbWait(&handles[turn][LEFT]);
        NGA_NbWait(&handles[turn][RIGHT]);
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
    GA_Dgop(&sum, 1, "+");
    GA_Igop(&wrong, 1, "max");
    if (me == 0) {
        srumma_print("srumma-ga", &options, sum, !wrong);
    }
    return wrong;
}

int main(int argc, char **argv)
{
    enum { MEMORY = 65536 }; /* elements for the library's own buffers */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    read_options(argc, argv);
    GA_Initialize();
    MA_init(C_DBL, MEMORY, MEMORY);
    grid = block_grid(GA_Nnodes(), options.blocks, options.length);
    for (int factor = 0; factor < FACTORS; factor++) {
        make_matrix((enum factor)factor);
        for (int turn = 0; turn < BUFFERS; turn++) {
            operands[turn][factor] = zeros(block_elements(&grid));
        }
    }
    double *product = zeros(block_memory(&grid));
    GA_Sync();
    for (int repeat = 0; repeat < options.repeats; repeat++) {
        multiply(product);
        GA_Sync();
    }
    int wrong = report(product);
    for (int factor = 0; factor < FACTORS; factor++) {
        GA_Destroy(matrices[factor]);
        for (int turn = 0; turn < BUFFERS; turn++) {
            free(operands[turn][factor]);
        }
    }
    free(product);
    GA_Terminate();
    MPI_Finalize();
    return wrong;
}
