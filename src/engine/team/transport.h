/** @file
 * How the processes of a distributed analysis talk to one another. A module (src/engine/mpi) brings
 * an implementation for one MPI library; nothing else knows that there is MPI.
 *
 * The calls marked "collective" are made by all processes in the same order. At most one thread of
 * a process may be in a call at a time. Calls that cannot go on (a lost connection, no memory) end
 * all processes and do not return.
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
    /** Collective: tells each process how many bytes it will get, and learns how many come.
     * @param sent      [process]
     * @param received  [process], out */
    void (*exchange_sizes)(struct fm_transport *transport, const uint64_t *sent,
                           uint64_t *received);

    /** Collective: sends a parcel to each process and fills those that come, whose sizes are those
     * that exchange_sizes() told. What is for the process itself is left out.
     * @param sent      [process]
     * @param received  [process], with room for what comes */
    void (*exchange)(struct fm_transport *transport, const struct fm_parcel *sent,
                     const struct fm_parcel *received);

    /** Collective: replaces each value by its sum over all processes. */
    void (*sum)(struct fm_transport *transport, uint64_t *values, size_t count);

    /** Collective: begins to add up two values while other calls go on. */
    void (*begin_wave)(struct fm_transport *transport, const uint64_t values[2]);

    /** @return whether the sums of the last wave are known; they are in `sums` then. */
    bool (*end_wave)(struct fm_transport *transport, uint64_t sums[2]);

    /** Sends a packet, which fm_free() frees once it has left. Packets between two processes arrive
     * in the order in which they were sent. */
    void (*send)(struct fm_transport *transport, unsigned to, struct fm_parcel packet);

    /** @return whether all packets that this process has sent have left. Lets others go on with
     * their calls. */
    bool (*all_left)(struct fm_transport *transport);

    /** @return whether a packet has come; it is to be freed with fm_free() then. Also lets others
     * go on with their calls. */
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
