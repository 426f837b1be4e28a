/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided exchange with the two neighbours in a ring of ranks, synchronized in four ways. */
#ifndef BT_RMA_EXCHANGE_H
#define BT_RMA_EXCHANGE_H

#include <mpi.h>
#include <stdbool.h>

typedef enum variant {
    FENCE_ONLY,  /* one window, fences of all ranks */
    GATS_FENCE,  /* sweeps by post/start/complete/wait, faces by fences */
    GATS_SINGLE, /* all by post/start/complete/wait on one window */
    GATS_MULTI,  /* ... on a window for each direction, whose next exposure begins early */
    VARIANTS
} variant;

extern const char *const variant_names[VARIANTS];

/* What data is for: faces, or a direction of a sweep. */
typedef enum channel { FACES, X_UP, X_DOWN, Y_UP, Y_DOWN, CHANNELS } channel;

typedef struct exchange {
    variant kind;
    int before, behind;        /* ranks of the ring */
    int values[CHANNELS];      /* doubles that a message of the channel has */
    MPI_Group one[2], both;    /* before, behind; and both */
    MPI_Win windows[CHANNELS]; /* some are the same */
    double *memory[CHANNELS];  /* of this rank, in the window */
    MPI_Aint offset[CHANNELS]; /* in doubles */
    bool exposed[CHANNELS];
} exchange;

/* Collective. @param cells  of each rank; `points` along an axis of a cell */
void exchange_create(exchange *x, variant kind, int cells, int points);

void exchange_destroy(exchange *x);

/* Puts a face into the memory of a neighbour, as face `number` of it. To be called for all faces,
 * between exchange_faces_begin() and exchange_faces_end(). */
void exchange_faces_begin(exchange *x);
void exchange_put_face(exchange *x, int rank, int number, const double *face);
void exchange_faces_end(exchange *x);

/* Returns a face that a neighbour has put. */
const double *exchange_face(const exchange *x, int number);

/* States that data for the stage behind `stage` will come; before it is computed. */
void exchange_expect(exchange *x, channel c);

/* Passes data of a stage to the next rank of a channel, for the stage behind it. */
void exchange_pass(exchange *x, channel c, int stage, const double *data);

/* Returns the data for a stage, when they are there. */
const double *exchange_take(exchange *x, channel c, int stage);

#endif
