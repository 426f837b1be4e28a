/* SPDX-License-Identifier: BSD-3-Clause */
#include "force.h"

#include <math.h>

/* Adds the force of a box's atoms on an atom; returns the energy of these pairs. */
static double add_box(const struct boxes *b, int box, const double at[3], double force[3])
{
    const double cutoff = CUTOFF * CUTOFF, sigma = SIGMA * SIGMA;
    double energy = 0;
    double(*const other)[3] = &b->at[(size_t)box * SLOTS];
    for (int j = 0; j < b->counts[box]; j++) {
        const double x = at[0] - other[j][0], y = at[1] - other[j][1], z = at[2] - other[j][2];
        const double square = x * x + y * y + z * z;
        if (square < cutoff && square > 0) { /* 0: the atom itself */
            const double s2 = sigma / square, s6 = s2 * s2 * s2;
            const double strength = 24 * EPSILON * s6 * (2 * s6 - 1) / square;
            energy += 4 * EPSILON * s6 * (s6 - 1);
            force[0] += strength * x;
            force[1] += strength * y;
            force[2] += strength * z;
        }
    }
    return energy;
}

void force_compute(const struct boxes *b, struct forces *result)
{
    long long compared = 0, atoms = 0;
    *result = (struct forces){.energy = 0};
    for (int z = 1; z <= b->inner; z++) {
        for (int y = 1; y <= b->inner; y++) {
            for (int x = 1; x <= b->inner; x++) {
                const int box = box_index(b, x, y, z);
                for (int i = 0; i < b->counts[box]; i++) {
                    const double *at = b->at[(size_t)box * SLOTS + (size_t)i];
                    double force[3] = {0, 0, 0};
                    for (int near = 0; near < 27; near++) {
                        const int other =
                            box_index(b, x + near % 3 - 1, y + near / 3 % 3 - 1, z + near / 9 - 1);
                        result->energy += add_box(b, other, at, force) / 2;
                        compared += b->counts[other];
                    }
                    for (int d = 0; d < 3; d++) {
                        result->sum[d] += force[d];
                        result->magnitude += fabs(force[d]);
                    }
                    atoms++;
                }
            }
        }
    }
    result->interactions = (compared - atoms) / 2;
}
