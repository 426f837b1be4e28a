/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets: non-blocking transfers that overlap with the work of the process. */
#include "engine/mpi/mpi_transport.h"

#include <string.h>

/* Largest number of pieces that are tested at once: they leave about in the order of sending. */
#define TESTED_AT_ONCE 64

/* Tags: whether another piece of the packet follows. */
enum { TAG_LAST, TAG_MORE };

/* ---- leaving ---- */

/* Frees packets that have left. */
static void test_leaving(struct fm_mpi_transport *mpi)
{
    int indices[TESTED_AT_ONCE], count = 0;
    size_t tested = mpi->leaving.count < TESTED_AT_ONCE ? mpi->leaving.count : TESTED_AT_ONCE;
    if (tested == 0) {
        return;
    }
    MPI_Testsome((int)tested, mpi->leaving.items, &count, indices, MPI_STATUSES_IGNORE);
    for (int i = 0; i < count; ++i) {
        struct fm_outgoing *packet = mpi->leaving_packets.items[indices[i]];
        mpi->leaving_packets.items[indices[i]] = NULL;
        if (--packet->pieces == 0) {
            fm_free(packet->content);
            fm_free(packet);
        }
    }
    if (count <= 0) {
        return;
    }
    size_t kept = 0;
    for (size_t i = 0; i < mpi->leaving.count; ++i) {
        if (mpi->leaving_packets.items[i] != NULL) {
            mpi->leaving.items[kept] = mpi->leaving.items[i];
            mpi->leaving_packets.items[kept++] = mpi->leaving_packets.items[i];
        }
    }
    mpi->leaving.count = mpi->leaving_packets.count = kept;
}

void fm_mpi_send(struct fm_transport *transport, unsigned to, struct fm_parcel packet)
{
    struct fm_mpi_transport *mpi = fm_mpi_transport_of(transport);
    struct fm_outgoing *outgoing = NULL;
    for (size_t i = 0, count = fm_piece_count(packet.bytes); i < count; ++i) {
        size_t at = i * FM_PIECE_BYTES, rest = packet.bytes - at;
        int left = 0;
        MPI_Request request;
        MPI_Isend((char *)packet.content + at, (int)(rest < FM_PIECE_BYTES ? rest : FM_PIECE_BYTES),
                  MPI_BYTE, (int)to, i + 1 < count ? TAG_MORE : TAG_LAST, mpi->packets, &request);
        if (count == 1) {
            MPI_Test(&request, &left, MPI_STATUS_IGNORE);
        }
        if (left) { /* most packets are short and leave immediately */
            fm_free(packet.content);
            return;
        }
        if (outgoing == NULL) {
            outgoing = fm_allocate(1, sizeof *outgoing);
            *outgoing = (struct fm_outgoing){packet.content, count};
        }
        fm_vector_push(&mpi->leaving, request);
        fm_vector_push(&mpi->leaving_packets, outgoing);
    }
    test_leaving(mpi);
}

bool fm_mpi_all_left(struct fm_transport *transport)
{
    struct fm_mpi_transport *mpi = fm_mpi_transport_of(transport);
    test_leaving(mpi);
    return mpi->leaving.count == 0;
}

/* ---- arriving ---- */

/* Begins to receive the next piece from any process.
 * @param from  out: the sender
 * @return whether there was a piece */
static bool begin_to_receive(struct fm_mpi_transport *mpi, unsigned *from)
{
    int found = 0, bytes = 0;
    MPI_Message message;
    MPI_Status status;
    MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, mpi->packets, &found, &message, &status);
    if (!found) {
        return false;
    }
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    struct fm_incoming *incoming = fm_allocate(1, sizeof *incoming);
    incoming->piece = (struct fm_parcel){fm_resize(NULL, 0, (size_t)bytes), (size_t)bytes};
    incoming->last = status.MPI_TAG == TAG_LAST;
    MPI_Imrecv(incoming->piece.content, bytes, MPI_BYTE, &message, &incoming->request);
    *from = (unsigned)status.MPI_SOURCE;
    struct fm_incoming_queue *queue = &mpi->incoming[*from];
    if (queue->last == NULL) {
        queue->first = incoming;
    } else {
        queue->last->next = incoming;
    }
    queue->last = incoming;
    ++mpi->incoming_count;
    return true;
}

/* @return whether all pieces of the first packet of a queue have arrived; in `*bytes` its size */
static bool is_complete(const struct fm_incoming_queue *queue, size_t *bytes)
{
    *bytes = 0;
    for (struct fm_incoming *piece = queue->first; piece != NULL; piece = piece->next) {
        if (!piece->here) {
            int here = 0;
            MPI_Test(&piece->request, &here, MPI_STATUS_IGNORE);
            piece->here = here;
        }
        if (!piece->here) {
            return false;
        }
        *bytes += piece->piece.bytes;
        if (piece->last) {
            return true;
        }
    }
    return false;
}

/* Takes the pieces of the first packet, of `bytes` bytes, from a queue and joins them. */
static struct fm_parcel take_packet(struct fm_mpi_transport *mpi, struct fm_incoming_queue *queue,
                                    size_t bytes)
{
    struct fm_parcel packet = {NULL, 0};
    bool last = false;
    while (!last) {
        struct fm_incoming *incoming = queue->first;
        struct fm_parcel piece = incoming->piece;
        last = incoming->last;
        if (packet.content == NULL) {
            packet.content = last ? piece.content : fm_resize(piece.content, piece.bytes, bytes);
        } else {
            memcpy((char *)packet.content + packet.bytes, piece.content, piece.bytes);
            fm_free(piece.content);
        }
        packet.bytes += piece.bytes;
        queue->first = incoming->next;
        fm_free(incoming);
        --mpi->incoming_count;
    }
    if (queue->first == NULL) {
        queue->last = NULL;
    }
    return packet;
}

/* Takes the first packet of a process if it has arrived completely. */
static bool receive_from(struct fm_mpi_transport *mpi, unsigned from, struct fm_parcel *packet)
{
    size_t bytes;
    if (!is_complete(&mpi->incoming[from], &bytes)) {
        return false;
    }
    *packet = take_packet(mpi, &mpi->incoming[from], bytes);
    return true;
}

bool fm_mpi_receive(struct fm_transport *transport, unsigned *from, struct fm_parcel *packet)
{
    struct fm_mpi_transport *mpi = fm_mpi_transport_of(transport);
    test_leaving(mpi);
    while (begin_to_receive(mpi, from)) {
        if (receive_from(mpi, *from, packet)) {
            return true;
        }
    }
    for (unsigned step = 0; step < transport->count && mpi->incoming_count != 0; ++step) {
        *from = (mpi->next_from + step) % transport->count;
        if (receive_from(mpi, *from, packet)) {
            mpi->next_from = *from + 1;
            return true;
        }
    }
    return false;
}
