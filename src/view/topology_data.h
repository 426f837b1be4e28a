/** @file
 * The cartesian topologies of a run's communicators, as columns of a bundle.
 *
 * Member of the JSON "topologies": for each "name" (of the communicator), "sizes", "periodic" (by
 * dimension), "ranks" (number of members with coordinates). Columns, all topologies behind one
 * another: `topology_process`, and `topology_place`: its coordinates as one number, the last
 * dimension fastest.
 */
#ifndef FERMATA_VIEW_TOPOLOGY_DATA_H
#define FERMATA_VIEW_TOPOLOGY_DATA_H

#include "trace/trace.h"
#include "view/bundle.h"

/** Adds the columns and the member. Topologies too big to be shown, or that contradict themselves,
 * are left out, and all but the first 16. */
void fm_topology_data_add(struct fm_bundle *bundle, const struct fm_trace *trace);

#endif
