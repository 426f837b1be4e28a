/* SPDX-License-Identifier: BSD-3-Clause */
/* The exchange of the atoms near the faces of the domains. */
#ifndef MD_VOIDS_HALO_H
#define MD_VOIDS_HALO_H

#include "domain.h"

#include <mpi.h>

/* Copies the outer boxes of all neighbouring domains into the boxes around the domain: one
 * direction after another, so that edges and corners come along. Collective.
 * grid: a periodic Cartesian communicator with a rank for each domain, x last
 * buffers: 2, of halo_values() numbers each */
void halo_exchange(MPI_Comm grid, struct boxes *b, double edge, double *const buffers[2]);

/* Returns the largest number of values of a message. */
size_t halo_values(const struct boxes *b);

#endif
