/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Communication between the processes of a distributed analysis. A module (src/engine/mpi)
 * implements it for one MPI library; no other code depends on MPI.
 *
 * The calls marked "collective" are made by all processes in the same order. At most one thread of
 * a process may be in a call at a time. Calls that fail (a lost connection, no memory) end all
 * processes and do not return.
 */
#ifndef FERMATA_ENGINE_TRANSPORT_H
#define FERMATA_ENGINE_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Bytes to or from another process. */
struct fm_parcel {
    void *content;
    size_t bytes;
};

struct fm_transport;

struct fm_transport_calls {
    /** Collective: exchanges the numbers of bytes that the processes will send to one another.
     * @param sent      [process]
     * @param received  [process], out */
    void (*exchange_sizes)(struct fm_transport *transport, const uint64_t *sent,
                           uint64_t *received);

    /** Collective: sends a parcel to each other process and receives one from each; the sizes are
     * those of exchange_sizes().
     * @param sent      [process]
     * @param received  [process], with room for the contents */
    void (*exchange)(struct fm_transport *transport, const struct fm_parcel *sent,
                     const struct fm_parcel *received);

    /** Collective: replaces each value by its sum over all processes. */
    void (*sum)(struct fm_transport *transport, uint64_t *values, size_t count);

    /** Collective: begins a wave, a non-blocking sum of two values over all processes. */
    void (*begin_wave)(struct fm_transport *transport, const uint64_t values[2]);

    /** @return whether the last wave is complete: `sums` is valid then. */
    bool (*end_wave)(struct fm_transport *transport, uint64_t sums[2]);

    /** Sends a packet, which the transport frees with fm_free() when it has left. Packets from one
     * process to another arrive in the order in which they were sent. */
    void (*send)(struct fm_transport *transport, unsigned to, struct fm_parcel packet);

    /** @return whether all packets that this process has sent have left. Drives the progress of
     * other transfers, too. */
    bool (*all_left)(struct fm_transport *transport);

    /** @return whether a packet has arrived, which the caller frees with fm_free(). Drives the
     * progress of other transfers, too. */
    bool (*receive)(struct fm_transport *transport, unsigned *from, struct fm_parcel *packet);

    /** Ends all processes at once; their launcher exits with `status`. Does not return. */
    void (*abandon)(struct fm_transport *transport, int status);

    /** Collective: frees the transport, which has no packets under way. */
    void (*close)(struct fm_transport *transport);
};

struct fm_transport {
    const struct fm_transport_calls *calls;
    unsigned self;      /**< number of this process, 0 .. count - 1 */
    unsigned count;     /**< number of processes */
    unsigned neighbors; /**< processes on this machine, this one included */
};

#endif
