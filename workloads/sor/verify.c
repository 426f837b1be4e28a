/* SPDX-License-Identifier: BSD-3-Clause */
#include "verify.h"

#include <math.h>
#include <stdlib.h>

enum { TAG_BLOCK = 11 };

/* The own points of a block without halo, row by row; NULL if there is not enough memory. */
static double *packed_block(const field *f)
{
    double *values = malloc((size_t)f->rows * (size_t)f->columns * sizeof *values);
    if (values == NULL)
        return NULL;
    size_t n = 0;
    for (int j = 1; j <= f->rows; j++)
        for (int i = 1; i <= f->columns; i++)
            values[n++] = *field_at(f, i, j);
    return values;
}

static size_t points_of_largest_block(const grid *g)
{
    size_t most = 0;
    for (int rank = 0; rank < g->size; rank++) {
        int x_begin, y_begin, columns, rows;
        grid_block_of(g, rank, &x_begin, &y_begin, &columns, &rows);
        const size_t points = (size_t)columns * (size_t)rows;
        most = points > most ? points : most;
    }
    return most;
}

/* The largest difference between `serial` and the block of `rank` in `values`. */
static double block_difference(const grid *g, const field *serial, int rank, const double *values)
{
    int x_begin, y_begin, columns, rows;
    grid_block_of(g, rank, &x_begin, &y_begin, &columns, &rows);
    double largest = 0.0;
    size_t n = 0;
    for (int j = 1; j <= rows; j++)
        for (int i = 1; i <= columns; i++)
            largest =
                fmax(largest, fabs(*field_at(serial, x_begin + i, y_begin + j) - values[n++]));
    return largest;
}

/* On rank 0: computes the serial solution, receives the blocks one after another and compares. */
static double compare_all(const grid *g, int iterations, field *serial, double *values)
{
    for (int k = 0; k < iterations; k++) {
        field_sweep(serial, RED, g->whole.omega, 1, serial->rows);
        field_sweep(serial, BLACK, g->whole.omega, 1, serial->rows);
    }
    double largest = 0.0;
    for (int rank = 0; rank < g->size; rank++) {
        int x_begin, y_begin, columns, rows;
        grid_block_of(g, rank, &x_begin, &y_begin, &columns, &rows);
        if (rank != 0)
            MPI_Recv(values, rows * columns, MPI_DOUBLE, rank, TAG_BLOCK, g->comm,
                     MPI_STATUS_IGNORE);
        largest = fmax(largest, block_difference(g, serial, rank, values));
    }
    return largest;
}

double verify_against_serial(const grid *g, int iterations)
{
    const size_t most_points = points_of_largest_block(g);
    field serial = {0};
    double *values = packed_block(&g->block);
    int enough = values != NULL;
    if (g->rank == 0 && enough) {
        double *larger = realloc(values, most_points * sizeof *values);
        enough = larger != NULL && field_create(&serial, &g->whole, 0, 0, g->whole.nx, g->whole.ny);
        values = larger != NULL ? larger : values;
    }
    MPI_Allreduce(MPI_IN_PLACE, &enough, 1, MPI_INT, MPI_LAND, g->comm);

    double difference = -1.0;
    if (enough && g->rank == 0)
        difference = compare_all(g, iterations, &serial, values);
    else if (enough)
        MPI_Send(values, g->block.rows * g->block.columns, MPI_DOUBLE, 0, TAG_BLOCK, g->comm);
    MPI_Bcast(&difference, 1, MPI_DOUBLE, 0, g->comm);
    free(values);
    field_release(&serial);
    return difference;
}

double verify_against_analytical(const grid *g)
{
    double error = field_error(&g->block);
    MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, g->comm);
    return error;
}
