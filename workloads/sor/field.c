/* SPDX-License-Identifier: BSD-3-Clause */
#include "field.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

double problem_best_omega(int nx, int ny)
{
    const double hx = 1.0 / (nx + 1), hy = 1.0 / (ny + 1);
    const double x_part = hy * hy, y_part = hx * hx;
    /* Spectral radius of the Jacobi iteration. */
    const double rho = (x_part * cos(pi * hx) + y_part * cos(pi * hy)) / (x_part + y_part);
    return 2.0 / (1.0 + sqrt(1.0 - rho * rho));
}

bool field_create(field *f, const problem *p, int x_begin, int y_begin, int columns, int rows)
{
    const double hx = 1.0 / (p->nx + 1), hy = 1.0 / (p->ny + 1);
    *f = (field){.x_begin = x_begin, .y_begin = y_begin, .columns = columns, .rows = rows};
    f->stride = (size_t)columns + 2;
    f->x_weight = 1.0 / (hx * hx);
    f->y_weight = 1.0 / (hy * hy);
    f->centre_weight = 2.0 * (f->x_weight + f->y_weight);
    f->u = calloc(((size_t)rows + 2) * f->stride, sizeof *f->u);
    f->sin_x = malloc(((size_t)columns + 2) * sizeof *f->sin_x);
    f->sin_y = malloc(((size_t)rows + 2) * sizeof *f->sin_y);
    if (f->u == NULL || f->sin_x == NULL || f->sin_y == NULL)
        return false;
    for (int i = 0; i <= columns + 1; i++)
        f->sin_x[i] = sin(pi * hx * (x_begin + i));
    for (int j = 0; j <= rows + 1; j++)
        f->sin_y[j] = sin(pi * hy * (y_begin + j));
    return true;
}

void field_release(field *f)
{
    free(f->u);
    free(f->sin_x);
    free(f->sin_y);
    *f = (field){0};
}

void field_sweep(field *f, colour c, double omega, int first_row, int rows)
{
    const double step = omega / f->centre_weight;
    const size_t stride = f->stride;
    for (int j = first_row; j < first_row + rows; j++) {
        double *u = field_at(f, 0, j);
        const double source_y = 2.0 * pi * pi * f->sin_y[j];
        /* Own point (i, j) is point (x_begin + i - 1, y_begin + j - 1) of the whole grid. */
        const int first = 1 + ((f->x_begin + f->y_begin + j - 1 + (int)c) & 1);
        for (int i = first; i <= f->columns; i += 2) {
            const double sum = f->x_weight * (u[i - 1] + u[i + 1]) +
                               f->y_weight * (u[i - (ptrdiff_t)stride] + u[i + (ptrdiff_t)stride]);
            u[i] += step * (source_y * f->sin_x[i] + sum - f->centre_weight * u[i]);
        }
    }
}

double field_residual(const field *f)
{
    const ptrdiff_t stride = (ptrdiff_t)f->stride;
    double largest = 0.0;
    for (int j = 1; j <= f->rows; j++) {
        const double *u = field_at(f, 0, j);
        for (int i = 1; i <= f->columns; i++) {
            const double sum =
                f->x_weight * (u[i - 1] + u[i + 1]) + f->y_weight * (u[i - stride] + u[i + stride]);
            const double source = 2.0 * pi * pi * f->sin_y[j] * f->sin_x[i];
            largest = fmax(largest, fabs(source + sum - f->centre_weight * u[i]));
        }
    }
    return largest;
}

double field_error(const field *f)
{
    double largest = 0.0;
    for (int j = 1; j <= f->rows; j++)
        for (int i = 1; i <= f->columns; i++)
            largest = fmax(largest, fabs(*field_at(f, i, j) - f->sin_x[i] * f->sin_y[j]));
    return largest;
}
