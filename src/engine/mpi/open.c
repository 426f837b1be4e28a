/* SPDX-License-Identifier: BSD-3-Clause */
/* A transport by MPI: its start, its end, and its collective calls of fixed size. */
#include "engine/mpi/mpi_transport.h"

#include "base/process/sockets.h"
#include "engine/backoff.h"

#include <limits.h>
#include <time.h>

/* Largest number of values of one reduction. */
#define SUMS_AT_ONCE ((size_t)1 << 20)

void fm_mpi_wait(MPI_Request *request)
{
    int done = 0;
    for (unsigned turn = 0; MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done;
         ++turn) {
        fm_backoff(turn);
    }
}

static void sum(struct fm_transport *transport, uint64_t *values, size_t count)
{
    struct fm_mpi_transport *mpi = fm_mpi_transport_of(transport);
    for (size_t at = 0; at < count; at += SUMS_AT_ONCE) {
        size_t part = count - at < SUMS_AT_ONCE ? count - at : SUMS_AT_ONCE;
        MPI_Request request;
        MPI_Iallreduce(MPI_IN_PLACE, values + at, (int)part, MPI_UINT64_T, MPI_SUM, mpi->all,
                       &request);
        fm_mpi_wait(&request);
    }
}

static void begin_wave(struct fm_transport *transport, const uint64_t values[2])
{
    struct fm_mpi_transport *mpi = fm_mpi_transport_of(transport);
    mpi->wave_own[0] = values[0];
    mpi->wave_own[1] = values[1];
    MPI_Iallreduce(mpi->wave_own, mpi->wave_sums, 2, MPI_UINT64_T, MPI_SUM, mpi->all, &mpi->wave);
}

static bool end_wave(struct fm_transport *transport, uint64_t sums[2])
{
    struct fm_mpi_transport *mpi = fm_mpi_transport_of(transport);
    int done = 0;
    MPI_Test(&mpi->wave, &done, MPI_STATUS_IGNORE);
    sums[0] = mpi->wave_sums[0];
    sums[1] = mpi->wave_sums[1];
    return done;
}

static void abandon(struct fm_transport *transport, int status)
{
    (void)transport;
    /* MPICH's launcher drops what it has not read when a process aborts: why, for instance. */
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    MPI_Abort(MPI_COMM_WORLD, status);
}

static void close_transport(struct fm_transport *transport)
{
    struct fm_mpi_transport *mpi = fm_mpi_transport_of(transport);
    /* All packets have arrived; the requests of their senders may still be incomplete. */
    MPI_Waitall((int)mpi->leaving.count, mpi->leaving.items, MPI_STATUSES_IGNORE);
    for (size_t i = 0; i < mpi->leaving_packets.count; ++i) {
        struct fm_outgoing *packet = mpi->leaving_packets.items[i];
        if (--packet->pieces == 0) {
            fm_free(packet->content);
            fm_free(packet);
        }
    }
    fm_vector_free(&mpi->leaving);
    fm_vector_free(&mpi->leaving_packets);
    fm_free(mpi->incoming);
    MPI_Comm_free(&mpi->packets);
    MPI_Comm_free(&mpi->all);
    fm_free(mpi);
    /* Open MPI finalizes with several small messages to its launcher. */
    fm_sockets_send_at_once();
    MPI_Finalize();
}

static unsigned count_neighbors(MPI_Comm all)
{
    MPI_Comm machine;
    int count = 1;
    MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &count);
    MPI_Comm_free(&machine);
    return (unsigned)count;
}

__attribute__((visibility("default"))) fm_transport_open_t fm_transport_open_2;

fm_status_t fm_transport_open_2(const struct fm_transport_memory *memory,
                                struct fm_transport **transport, struct fm_error *error)
{
    static const struct fm_transport_calls calls = {
        .exchange_sizes = fm_mpi_exchange_sizes,
        .exchange = fm_mpi_exchange,
        .sum = sum,
        .begin_wave = begin_wave,
        .end_wave = end_wave,
        .send = fm_mpi_send,
        .all_left = fm_mpi_all_left,
        .receive = fm_mpi_receive,
        .abandon = abandon,
        .close = close_transport,
    };
    int provided = MPI_THREAD_SINGLE, self, count;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS) {
        return fm_fail(error, FM_ERR_SYSTEM, "MPI cannot be started");
    }
    if (provided < MPI_THREAD_SERIALIZED) {
        MPI_Finalize();
        return fm_fail(error, FM_ERR_SYSTEM,
                       "this MPI library does not allow for threads "
                       "(MPI_THREAD_SERIALIZED)");
    }
    fm_mpi_use_memory(memory);
    struct fm_mpi_transport *mpi = fm_allocate(1, sizeof *mpi);
    MPI_Comm_dup(MPI_COMM_WORLD, &mpi->all);
    MPI_Comm_dup(MPI_COMM_WORLD, &mpi->packets);
    MPI_Comm_rank(mpi->all, &self);
    MPI_Comm_size(mpi->all, &count);
    mpi->transport =
        (struct fm_transport){&calls, (unsigned)self, (unsigned)count, count_neighbors(mpi->all)};
    mpi->incoming = fm_allocate((size_t)count, sizeof *mpi->incoming);
    mpi->wave = MPI_REQUEST_NULL;
    *transport = &mpi->transport;
    return FM_OK;
}
