/* SPDX-License-Identifier: BSD-3-Clause */
/* The exchange of halos: each rank puts its first and its last row into the halos of its
 * neighbours, with general active target synchronization (post, start, complete, wait). */
#ifndef OCEAN_CG_HALO_H
#define OCEAN_CG_HALO_H

#include "strip.h"

#include <mpi.h>

typedef struct halo {
    strip own;
    double *vector; /* the vector whose halo is exchanged: the memory of the window */
    MPI_Win window;
    MPI_Group neighbours;
    int before, behind;   /* ranks */
    MPI_Aint halo_behind; /* position of the halo that `before` has after its own rows */
    bool barrier;         /* whether a barrier precedes each exchange */
} halo;

/* Creates the window with its vector, initialized to zero. Collective over all ranks, of which
 * there must be at least two. */
void halo_create(halo *h, int columns, int all_rows, bool barrier);
void halo_destroy(halo *h);

/* Fills the halo of the vector. Effectively collective: both neighbours must call it. */
void halo_update(halo *h);

#endif
