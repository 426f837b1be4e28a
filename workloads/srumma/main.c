/* SPDX-License-Identifier: BSD-3-Clause */
/* srumma: multiplies two distributed matrices by one-sided gets of MPI (common/block_multiply.h).
 * While a process multiplies two blocks it gets the next two by MPI_Rget, in one epoch of
 * MPI_Win_lock_all. A flush and a barrier end each multiplication. */
#include "srumma_options.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, FAILURE = 1, WRONG_USAGE = 2 };
enum { BUFFERS = 2 };

static const char usage[] =
    "usage: srumma [OPTIONS]\n"
    "Multiplies two distributed matrices by one-sided gets of MPI.\n" SRUMMA_USAGE
    "  --window KIND memory of the program (create) or of the MPI library (allocate, default)\n"
    "  --help        print this text\n";

/* What the user has chosen; `wrong`: name and value of an argument that is not valid, or NULL. */
struct options {
    struct srumma_options common;
    const char *wrong[2];
    bool create, help;
};

/* A matrix: this process's memory, in a window. */
struct matrix {
    double *memory;
    MPI_Win window;
};

/* A block in use: in the process's own memory, or in a buffer in which it arrives. */
struct operand {
    const double *block;
    MPI_Request request; /* of its arrival; MPI_REQUEST_NULL: it is there */
};

/* Buffers for the blocks of two products in turn, and the operands of each product. */
struct operands {
    double *buffers[BUFFERS][FACTORS];
    struct operand of[BUFFERS][FACTORS];
};

static int rank, processes;

static void read_options(struct options *o, int argc, char **argv)
{
    *o = (struct options){.common = SRUMMA_DEFAULTS};
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--help") == 0) {
            o->help = true;
        } else if (strcmp(argv[i], "--window") == 0) {
            o->create = strcmp(value, "create") == 0;
            if (!o->create && strcmp(value, "allocate") != 0) {
                o->wrong[0] = argv[i];
                o->wrong[1] = value;
            }
        } else if (!srumma_read_option(&o->common, argv[i], value)) {
            o->wrong[0] = argv[i];
            o->wrong[1] = value;
        }
    }
}

static double *zeros(size_t elements)
{
    double *memory = calloc(elements, sizeof *memory);
    if (memory == NULL) {
        fprintf(stderr, "srumma: no memory\n");
        MPI_Abort(MPI_COMM_WORLD, FAILURE);
    }
    return memory;
}

static void create_matrix(struct matrix *matrix, const struct options *o,
                          const struct block_grid *grid, enum factor factor)
{
    static const char *const names[FACTORS] = {[LEFT] = "left", [RIGHT] = "right"};
    const size_t elements = block_memory(grid);
    const MPI_Aint bytes = (MPI_Aint)(elements * sizeof(double));
    if (o->create) {
        matrix->memory = zeros(elements);
        MPI_Win_create(matrix->memory, bytes, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
                       &matrix->window);
    } else {
        MPI_Win_allocate(bytes, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &matrix->memory,
                         &matrix->window);
    }
    MPI_Win_set_name(matrix->window, names[factor]);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, matrix->window);
    block_fill(grid, factor, rank, matrix->memory);
    MPI_Win_unlock(rank, matrix->window);
}

static void free_matrix(struct matrix *matrix, const struct options *o)
{
    MPI_Win_free(&matrix->window);
    if (o->create) {
        free(matrix->memory);
    }
}

/* Begins to get a block that another process owns. */
static struct operand get_block(const struct block_grid *grid, const struct matrix *matrix, int row,
                                int column, double *buffer)
{
    const int owner = block_owner(grid, row, column);
    const size_t place = block_place(grid, row, column);
    struct operand operand = {matrix->memory + place, MPI_REQUEST_NULL};
    if (owner != rank) {
        const int count = (int)block_elements(grid);
        operand.block = buffer;
        MPI_Rget(buffer, count, MPI_DOUBLE, owner, (MPI_Aint)place, count, MPI_DOUBLE,
                 matrix->window, &operand.request);
    }
    return operand;
}

/* Begins to get the blocks of a product. */
static void get_operands(const struct block_grid *grid, const struct matrix matrices[FACTORS],
                         int number, struct operands *operands)
{
    const struct block_task task = block_task(grid, rank, number);
    const int turn = number % BUFFERS;
    operands->of[turn][LEFT] =
        get_block(grid, &matrices[LEFT], task.row, task.inner, operands->buffers[turn][LEFT]);
    operands->of[turn][RIGHT] =
        get_block(grid, &matrices[RIGHT], task.inner, task.column, operands->buffers[turn][RIGHT]);
}

/* Computes all blocks of the product that this process owns. */
static void multiply(const struct options *o, const struct block_grid *grid,
                     const struct matrix matrices[FACTORS], struct operands *operands,
                     double *product)
{
    const int tasks = block_tasks(grid, rank);
    memset(product, 0, block_memory(grid) * sizeof *product);
    if (tasks > 0) {
        get_operands(grid, matrices, 0, operands);
    }
    for (int number = 0; number < tasks; number++) {
        struct operand *of = operands->of[number % BUFFERS];
        const struct block_task task = block_task(grid, rank, number);
        for (int factor = 0; factor < FACTORS; factor++) {
            if (of[factor].request != MPI_REQUEST_NULL) {
                MPI_Wait(&of[factor].request, MPI_STATUS_IGNORE);
            }
        }
        if (number + 1 < tasks) {
            get_operands(grid, matrices, number + 1, operands);
        }
        come_late(&o->common, rank);
        block_multiply(grid->length, of[LEFT].block, of[RIGHT].block,
                       product + block_place(grid, task.row, task.column));
    }
}

/* @return whether the product is right, on all processes */
static bool report(const struct options *o, const struct block_grid *grid, const double *product)
{
    double sum = block_sum(grid, rank, product), all;
    int right = block_is_right(grid, rank, product), all_right;
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&right, &all_right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (rank == 0) {
        srumma_print("srumma", &o->common, all, all_right != 0);
    }
    return all_right != 0;
}

static int run(const struct options *o)
{
    const struct block_grid grid = block_grid(processes, o->common.blocks, o->common.length);
    struct matrix matrices[FACTORS];
    struct operands operands;
    double *product = zeros(block_memory(&grid));
    for (int turn = 0; turn < BUFFERS; turn++) {
        for (int factor = 0; factor < FACTORS; factor++) {
            operands.buffers[turn][factor] = zeros(block_elements(&grid));
        }
    }
    for (int factor = 0; factor < FACTORS; factor++) {
        create_matrix(&matrices[factor], o, &grid, (enum factor)factor);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int factor = 0; factor < FACTORS; factor++) {
        MPI_Win_lock_all(0, matrices[factor].window);
    }
    for (int repeat = 0; repeat < o->common.repeats; repeat++) {
        multiply(o, &grid, matrices, &operands, product);
        for (int factor = 0; factor < FACTORS; factor++) {
            MPI_Win_flush_all(matrices[factor].window);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    for (int factor = 0; factor < FACTORS; factor++) {
        MPI_Win_unlock_all(matrices[factor].window);
    }
    const bool right = report(o, &grid, product);
    for (int factor = 0; factor < FACTORS; factor++) {
        free_matrix(&matrices[factor], o);
        for (int turn = 0; turn < BUFFERS; turn++) {
            free(operands.buffers[turn][factor]);
        }
    }
    free(product);
    return right ? SUCCESS : FAILURE;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    struct options o;
    int status = SUCCESS;
    read_options(&o, argc, argv);
    if (o.wrong[0] != NULL) {
        if (rank == 0) {
            fprintf(stderr, "srumma: %s cannot be \"%s\" (try --help)\n", o.wrong[0], o.wrong[1]);
        }
        status = WRONG_USAGE;
    } else if (o.help) {
        if (rank == 0) {
            fputs(usage, stdout);
        }
    } else {
        status = run(&o);
    }
    MPI_Finalize();
    return status;
}
