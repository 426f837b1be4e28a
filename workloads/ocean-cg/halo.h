/* The exchange of halos: each rank puts its first and its last row into the halos of its
 * neighbours, by general active target synchronization (post, start, complete, wait). */
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
    MPI_Aint halo_behind; /* position of the first point of the halo that `before` has behind its
                             own rows */
    bool barrier;         /* meet all ranks before each exchange */
} halo;

/* Makes the window with its vector, full of zeroes. Collective over all ranks, of which there must
 * be at least two. */
void halo_create(halo *h, int columns, int all_rows, bool barrier);
void halo_destroy(halo *h);

/* Fills the halo of the vector. Collective in effect: both neighbours must call it. */
void halo_update(halo *h);

#endif
