/* SPDX-License-Identifier: BSD-3-Clause */
#include "halo.h"

#include <string.h>

size_t halo_values(const struct boxes *b)
{
    return (size_t)b->edge * (size_t)b->edge * (1 + 3 * 32);
}

/* The box at (u, v) of a layer across a direction. */
static int in_layer(const struct boxes *b, int direction, int layer, int u, int v)
{
    return direction == 0   ? box_index(b, layer, u, v)
           : direction == 1 ? box_index(b, u, layer, v)
                            : box_index(b, u, v, layer);
}

/* Writes the atoms of a layer; positions are those of the receiver. Returns the number of values.
 */
static int pack(const struct boxes *b, int direction, int layer, double shift, double *values)
{
    double *next = values;
    for (int v = 0; v < b->edge; v++) {
        for (int u = 0; u < b->edge; u++) {
            const int box = in_layer(b, direction, layer, u, v);
            *next++ = b->counts[box];
            for (int slot = 0; slot < b->counts[box]; slot++) {
                memcpy(next, b->at[(size_t)box * SLOTS + (size_t)slot], 3 * sizeof *next);
                next[direction] += shift;
                next += 3;
            }
        }
    }
    return (int)(next - values);
}

static void unpack(struct boxes *b, int direction, int layer, const double *values)
{
    for (int v = 0; v < b->edge; v++) {
        for (int u = 0; u < b->edge; u++) {
            const int box = in_layer(b, direction, layer, u, v);
            b->counts[box] = (int)*values++;
            const size_t numbers = 3 * (size_t)b->counts[box];
            memcpy(b->at[(size_t)box * SLOTS], values, numbers * sizeof *values);
            values += numbers;
        }
    }
}

void halo_exchange(MPI_Comm grid, struct boxes *b, double edge, double *const buffers[2])
{
    const int room = (int)halo_values(b);
    for (int direction = 0; direction < 3; direction++) {
        for (int up = 0; up < 2; up++) {
            int from, to;
            MPI_Cart_shift(grid, 2 - direction, up ? 1 : -1, &from, &to);
            const int count = pack(b, direction, up ? b->inner : 1, up ? -edge : edge, buffers[0]);
            MPI_Sendrecv(buffers[0], count, MPI_DOUBLE, to, 0, buffers[1], room, MPI_DOUBLE, from,
                         0, grid, MPI_STATUS_IGNORE);
            unpack(b, direction, up ? 0 : b->inner + 1, buffers[1]);
        }
    }
}
