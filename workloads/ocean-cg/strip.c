/* SPDX-License-Identifier: BSD-3-Clause */
#include "strip.h"

#include <stdint.h>

strip strip_of(int rank, int size, int columns, int all_rows)
{
    const int least = all_rows / size, longer = all_rows % size;
    return (strip){.columns = columns,
                   .rows = least + (rank < longer),
                   .first_row = rank * least + (rank < longer ? rank : longer),
                   .all_rows = all_rows,
                   .stride = (size_t)columns + 2};
}

size_t strip_values(const strip *s)
{
    return ((size_t)s->rows + 2) * s->stride;
}

void strip_apply(const strip *s, const double *u, double *result)
{
    for (int row = 1; row <= s->rows; row++) {
        const double *const before = u + strip_row(s, row - 1);
        const double *const here = u + strip_row(s, row);
        const double *const behind = u + strip_row(s, row + 1);
        double *const to = result + strip_row(s, row);
        for (int i = 0; i < s->columns; i++)
            to[i] = 5.0 * here[i] - here[i - 1] - here[i + 1] - before[i] - behind[i];
    }
}

double strip_dot(const strip *s, const double *u, const double *v)
{
    double sum = 0.0;
    for (int row = 1; row <= s->rows; row++)
        for (int i = 0; i < s->columns; i++)
            sum += u[strip_row(s, row) + (size_t)i] * v[strip_row(s, row) + (size_t)i];
    return sum;
}

/* A pseudo-random number between -1 and 1 for each point of the ocean; 0 at the poles. */
static double solution_at(const strip *s, int row, int column)
{
    if (column < 0 || column >= s->columns)
        return 0.0;
    const int own_row = (row + s->all_rows) % s->all_rows;
    const uint64_t point = (uint64_t)own_row * (uint64_t)s->columns + (uint64_t)column + 1;
    const uint64_t mixed = (point ^ (point >> 7)) * UINT64_C(0x9e3779b97f4a7c15);
    return (double)(mixed >> 40) / (double)(1 << 23) - 1.0;
}

void strip_solution(const strip *s, double *u)
{
    for (int row = 0; row <= s->rows + 1; row++)
        for (int i = 0; i < s->columns; i++)
            u[strip_row(s, row) + (size_t)i] = solution_at(s, s->first_row + row - 1, i);
}

void strip_right_hand_side(const strip *s, double *b)
{
    for (int row = 0; row <= s->rows + 1; row++) {
        const int k = s->first_row + row - 1;
        for (int i = 0; i < s->columns; i++)
            b[strip_row(s, row) + (size_t)i] = 5.0 * solution_at(s, k, i) -
                                               solution_at(s, k, i - 1) - solution_at(s, k, i + 1) -
                                               solution_at(s, k - 1, i) - solution_at(s, k + 1, i);
    }
}
