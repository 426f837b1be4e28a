/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Private to src/engine/mpi: the parts of a transport by MPI.
 *
 * No call waits inside MPI: MPI libraries busy-wait, which takes the processor from the awaited
 * process when there are more processes than processors. All calls are non-blocking and polled with
 * backoff (engine/backoff.h). Only its start and its end block.
 */
#ifndef FERMATA_ENGINE_MPI_MPI_TRANSPORT_H
#define FERMATA_ENGINE_MPI_MPI_TRANSPORT_H

#include "base/containers/vector.h"
#include "engine/team/transport_module.h"

#include <mpi.h>

/** Larger contents are sent in pieces of this size: counts of MPI are `int`, and the backoff of the
 * receiver restarts with each piece. */
#define FM_PIECE_BYTES ((size_t)16 << 20)

/** A piece of a packet that arrives. */
struct fm_incoming {
    struct fm_incoming *next;
    struct fm_parcel piece;
    MPI_Request request;
    bool here; /**< `request` is complete */
    bool last; /**< this is the last piece of its packet */
};

/** Pieces from one process, in the order in which they were sent. */
struct fm_incoming_queue {
    struct fm_incoming *first, *last;
};

/** A packet that is being sent. */
struct fm_outgoing {
    void *content;
    size_t pieces; /**< number of pieces that have not left yet */
};

struct fm_mpi_transport {
    struct fm_transport transport;
    MPI_Comm all; /**< collective calls and exchanges */
    MPI_Comm packets;

    MPI_Request wave;
    uint64_t wave_own[2], wave_sums[2];

    struct fm_incoming_queue *incoming;              /**< [process] */
    size_t incoming_count;                           /**< pieces in all queues */
    unsigned next_from;                              /**< process whose packets are polled first */
    FM_VECTOR(MPI_Request) leaving;                  /**< pieces */
    FM_VECTOR(struct fm_outgoing *) leaving_packets; /**< of each piece */
};

static inline struct fm_mpi_transport *fm_mpi_transport_of(struct fm_transport *transport)
{
    return (struct fm_mpi_transport *)transport;
}

/** @return the number of pieces of a content; at least 1. */
static inline size_t fm_piece_count(size_t bytes)
{
    return bytes == 0 ? 1 : (bytes + FM_PIECE_BYTES - 1) / FM_PIECE_BYTES;
}

/** Implements base/memory.h in a module by the allocator of the program that has loaded it. */
void fm_mpi_use_memory(const struct fm_transport_memory *memory);

/** Completes a non-blocking collective call, with backoff. */
void fm_mpi_wait(MPI_Request *request);

/* The calls of struct fm_transport_calls for parcels (parcels.c) ... */
void fm_mpi_exchange_sizes(struct fm_transport *transport, const uint64_t *sent,
                           uint64_t *received);
void fm_mpi_exchange(struct fm_transport *transport, const struct fm_parcel *sent,
                     const struct fm_parcel *received);

/* ... and for packets (packets.c). */
void fm_mpi_send(struct fm_transport *transport, unsigned to, struct fm_parcel packet);
bool fm_mpi_all_left(struct fm_transport *transport);
bool fm_mpi_receive(struct fm_transport *transport, unsigned *from, struct fm_parcel *packet);

#endif
