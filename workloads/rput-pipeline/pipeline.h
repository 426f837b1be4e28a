/* SPDX-License-Identifier: BSD-3-Clause */
/* One stage of a pipeline of ranks: takes blocks from the left neighbour, passes blocks to the
 * right one. */
#ifndef RPUT_PIPELINE_PIPELINE_H
#define RPUT_PIPELINE_PIPELINE_H

#include <mpi.h>
#include <stdint.h>

/* How a block is transferred to the neighbour's memory before the neighbour is notified. */
typedef enum transfer {
    TRANSFER_RPUT, /* MPI_Rput, MPI_Wait: the buffer may be reused; MPI_Win_flush: it has arrived */
    TRANSFER_PUT,  /* MPI_Put, MPI_Win_flush */
    TRANSFER_LOCAL, /* MPI_Put, MPI_Win_flush_local: as MPI_Wait above; MPI_Win_flush */
    TRANSFER_MIXED, /* alternately */
    TRANSFERS
} transfer;

typedef struct stage {
    int rank, size;
    int block_length; /* numbers in a block */
    transfer transfer;
    void *memory; /* the own part of the window */
    MPI_Win window;
} stage;

/* Creates the window and locks it on all ranks. Collective. */
void stage_begin(stage *s);

/* Unlocks and frees the window. Collective. */
void stage_end(stage *s);

/* Waits for block `number` and copies it to `block`. Not on the first rank. */
void stage_receive(stage *s, int64_t number, double *block);

/* Waits for room at the right neighbour and sends block `number`, counted from 0. Not on the last
 * rank. */
void stage_send(stage *s, int64_t number, const double *block);

#endif
