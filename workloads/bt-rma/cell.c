/* SPDX-License-Identifier: BSD-3-Clause */
#include "cell.h"

#include <stdlib.h>
#include <string.h>

static const double lambda = 0.2, coupling = 0.05;

static double *value(const cell *c, int i, int j)
{
    return &c->u[COMPONENTS * ((size_t)(i + 1) * (size_t)(c->points + 2) + (size_t)(j + 1))];
}

/* The position of point `i` of a line along an axis. */
static size_t position(const cell *c, int axis, int line, int i)
{
    const size_t points = (size_t)c->points;
    return axis == 0 ? (size_t)i * points + (size_t)line : (size_t)line * points + (size_t)i;
}

bool cell_create(cell *c, int points, int x, int y)
{
    const size_t inner = (size_t)points * (size_t)points;
    const size_t all = (size_t)(points + 2) * (size_t)(points + 2);
    *c = (cell){.points = points,
                .u = calloc(all * COMPONENTS, sizeof(double)),
                .d = calloc(inner * COMPONENTS, sizeof(double)),
                .c = calloc(inner * 4, sizeof(double))};
    if (c->u == NULL || c->d == NULL || c->c == NULL)
        return false;
    for (int i = 0; i < points; i++) {
        for (int j = 0; j < points; j++) {
            const int a = x * points + i, b = y * points + j;
            value(c, i, j)[0] = 1.0 / (1 + (a * 7 + b * 3) % 11);
            value(c, i, j)[1] = 1.0 / (2 + (a * 5 + b * 13) % 17);
        }
    }
    return true;
}

void cell_destroy(cell *c)
{
    free(c->u);
    free(c->d);
    free(c->c);
}

/* The point next to a side, in the cell or (outside = 1) beyond it. */
static double *next_to(const cell *c, side s, int line, int outside)
{
    const int low = outside ? -1 : 0, high = outside ? c->points : c->points - 1;
    switch (s) {
    case LOWER_X:
        return value(c, low, line);
    case UPPER_X:
        return value(c, high, line);
    case LOWER_Y:
        return value(c, line, low);
    default:
        return value(c, line, high);
    }
}

void cell_copy_face(const cell *c, side s, double *out)
{
    for (int line = 0; line < c->points; line++)
        memcpy(out + COMPONENTS * line, next_to(c, s, line, 0), COMPONENTS * sizeof *out);
}

void cell_set_face(cell *c, side s, const double *in)
{
    for (int line = 0; line < c->points; line++) {
        double *to = next_to(c, s, line, 1);
        for (int k = 0; k < COMPONENTS; k++)
            to[k] = in == NULL ? 0 : in[COMPONENTS * line + k];
    }
}

void cell_rhs(cell *c)
{
    for (int i = 0; i < c->points; i++) {
        for (int j = 0; j < c->points; j++) {
            const double *u = value(c, i, j);
            double *d = &c->d[COMPONENTS * position(c, 0, j, i)];
            for (int k = 0; k < COMPONENTS; k++)
                d[k] = lambda * (value(c, i - 1, j)[k] + value(c, i + 1, j)[k] +
                                 value(c, i, j - 1)[k] + value(c, i, j + 1)[k] - 4 * u[k]);
            d[0] -= coupling * u[1];
            d[1] += coupling * u[0];
        }
    }
}

void cell_eliminate(cell *c, int axis, const double *in, double *out)
{
    for (int line = 0; line < c->points; line++) {
        double before[PASSED_UP] = {0}; /* of the point before: c and d */
        if (in != NULL)
            memcpy(before, in + PASSED_UP * line, sizeof before);
        for (int i = 0; i < c->points; i++) {
            const size_t at = position(c, axis, line, i);
            double *d = &c->d[COMPONENTS * at], *block = &c->c[4 * at];
            /* The lower diagonal is -lambda: B' = B + lambda * c, d' = d + lambda * d. */
            const double b00 = 1 + 2 * lambda + lambda * before[0];
            const double b01 = coupling + lambda * before[1];
            const double b10 = -coupling + lambda * before[2];
            const double b11 = 1 + 2 * lambda + lambda * before[3];
            const double r0 = d[0] + lambda * before[4], r1 = d[1] + lambda * before[5];
            const double determinant = b00 * b11 - b01 * b10;
            block[0] = -lambda * b11 / determinant;
            block[1] = lambda * b01 / determinant;
            block[2] = lambda * b10 / determinant;
            block[3] = -lambda * b00 / determinant;
            d[0] = (b11 * r0 - b01 * r1) / determinant;
            d[1] = (b00 * r1 - b10 * r0) / determinant;
            memcpy(before, block, 4 * sizeof *block);
            memcpy(before + 4, d, COMPONENTS * sizeof *d);
        }
        memcpy(out + PASSED_UP * line, before, sizeof before);
    }
}

void cell_substitute(cell *c, int axis, const double *in, double *out)
{
    for (int line = 0; line < c->points; line++) {
        double behind[PASSED_DOWN] = {0};
        if (in != NULL)
            memcpy(behind, in + PASSED_DOWN * line, sizeof behind);
        for (int i = c->points - 1; i >= 0; i--) {
            const size_t at = position(c, axis, line, i);
            double *d = &c->d[COMPONENTS * at];
            const double *block = &c->c[4 * at];
            d[0] -= block[0] * behind[0] + block[1] * behind[1];
            d[1] -= block[2] * behind[0] + block[3] * behind[1];
            memcpy(behind, d, sizeof behind);
        }
        memcpy(out + PASSED_DOWN * line, behind, sizeof behind);
    }
}

void cell_add(cell *c)
{
    for (int i = 0; i < c->points; i++) {
        for (int j = 0; j < c->points; j++) {
            for (int k = 0; k < COMPONENTS; k++)
                value(c, i, j)[k] += c->d[COMPONENTS * position(c, 0, j, i) + (size_t)k];
        }
    }
}
