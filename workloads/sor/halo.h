/* SPDX-License-Identifier: BSD-3-Clause */
/* The exchange of halos: every block gets a copy of the points beyond its four edges from the
 * neighbours that own them. Five variants do the same with different MPI functions. Each is in a
 * separate file; this header is their common interface.
 *
 * All variants pack an edge, transfer it into the neighbour's receive buffer for the side on which
 * the neighbour sees this process, and unpack the received edge. */
#ifndef SOR_HALO_H
#define SOR_HALO_H

#include "grid.h"

typedef struct halo halo;

typedef struct halo_variant {
    const char *name;
    int slots;      /* receive buffers per side; see halo_locks.c for why two can be needed */
    bool one_sided; /* the receive buffers are a window */
    void (*create)(halo *h);   /* additional data of the variant, or NULL */
    void (*exchange)(halo *h); /* transfers all packed edges; afterwards they may be unpacked */
    void (*received)(halo *h); /* called after all edges have been unpacked, or NULL */
    void (*destroy)(halo *h);  /* undoes create, or NULL */
} halo_variant;

extern const halo_variant halo_p2p, halo_p2p_blocking, halo_fence, halo_gats, halo_locks;

struct halo {
    const halo_variant *variant;
    grid *grid;
    int slot;             /* the receive buffers of the current exchange */
    double *send;         /* SIDES packed edges, longest_edge values apart */
    double *receive;      /* slots x SIDES edges, longest_edge values apart; the window's memory */
    MPI_Win window;       /* of the receive buffers; MPI_WIN_NULL for messages */
    MPI_Group neighbours; /* the existing neighbours, for gats */
};

/* The variant named `name`, or NULL. */
const halo_variant *halo_variant_find(const char *name);

/* Collective over the grid's communicator. Returns false, on every process, if there is not enough
 * memory. */
bool halo_create(halo *h, const halo_variant *variant, grid *g);
void halo_destroy(halo *h);

/* Fills the halo of this process's block. Effectively collective: every neighbour must call it. */
void halo_exchange(halo *h);

/* For the variants. */
/* Number of points of the edge at `s`. */
int halo_edge_length(const halo *h, side s);
/* Memory for the packed edge at `s`. */
double *halo_send_buffer(const halo *h, side s);
/* Position, in values, of the current receive buffer for `s`; the same in every process. */
MPI_Aint halo_receive_offset(const halo *h, side s);
/* Puts the packed edge at `s` into the receive buffer of the neighbour at `s`; the caller
 * synchronizes. */
void halo_put_edge(const halo *h, side s);

#endif
