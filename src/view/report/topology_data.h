/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The cartesian topologies of a report, as columns of a bundle.
 *
 * Member of the JSON "topologies": for each "name", "sizes", "periodic", "dimensions" (names, by
 * dimension; "": none), "ranks" (number of members). Columns, all topologies consecutively:
 * `topology_rank`, and `topology_place`: its coordinates as one number, the last dimension fastest.
 */
#ifndef FERMATA_VIEW_REPORT_TOPOLOGY_DATA_H
#define FERMATA_VIEW_REPORT_TOPOLOGY_DATA_H

#include "cube/model/cube.h"
#include "view/bundle.h"

/** Adds the columns and the member. Topologies too large for the page are left out. */
void fm_topology_data_add(struct fm_bundle *bundle, const struct fm_cube *cube);

#endif
