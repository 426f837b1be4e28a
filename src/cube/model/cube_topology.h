/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Cartesian topologies: coordinates of processes in the communicators of MPI_Cart_create. Part of
 * the severity cube (cube.h).
 */
#ifndef FERMATA_CUBE_MODEL_CUBE_TOPOLOGY_H
#define FERMATA_CUBE_MODEL_CUBE_TOPOLOGY_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct fm_cube;

#define FM_CUBE_TOPOLOGIES 16U /**< largest number of topologies of a report */
#define FM_CUBE_DIMENSIONS 8U  /**< largest number of dimensions of a topology */

struct fm_cube_dimension {
    char *name; /**< NULL: it has none */
    uint32_t size;
    bool periodic;
};

struct fm_cube_topology {
    char *name; /**< NULL: it has none */
    uint32_t dimension_count;
    struct fm_cube_dimension dimensions[FM_CUBE_DIMENSIONS];
    uint32_t member_count;
    uint32_t *locations;   /**< [member]: the first location of a process; ascending */
    uint32_t *coordinates; /**< [member][dimension] */
};

/** Appends a topology (copied). To be called after all locations have been added.
 * @return FM_ERR_FAILED: a number is out of range, or there are too many topologies */
fm_status_t fm_cube_add_topology(struct fm_cube *cube, const struct fm_cube_topology *topology,
                                 struct fm_error *error);

/** Frees the topologies; the cube has none afterwards. Called by fm_cube_free(). */
void fm_cube_free_topologies(struct fm_cube *cube);

/** Appends the topologies of another cube.
 * @param locations  [location of `from`]: the corresponding location of `cube` */
fm_status_t fm_cube_copy_topologies(struct fm_cube *cube, const struct fm_cube *from,
                                    const uint32_t *locations, struct fm_error *error);

#endif
