#include "engine/stream.h"

#include "base/memory.h"
#include "engine/engine_internal.h"
#include "engine/packet.h"

#include <stdatomic.h>
#include <string.h>

/* What stands before a record in a packet, aligned as the record is. */
struct letter {
    uint32_t process;
};

#define HEADER fm_engine_aligned(sizeof(struct letter))

/* From one worker to another one: a stack of packets there and one back, of which all are taken at
 * once. */
struct stream {
    struct fm_packet *open; /* being written; NULL: none */
    struct fm_packet *idle; /* to be written next */
    fm_packet_stack full;
    fm_packet_stack read;
    unsigned char apart[FM_APART];
};

struct fm_streams {
    unsigned workers;
    size_t record_size; /* in a packet */
    fm_stream_handler_t *handler;
    void *owner;
    struct stream *streams; /* [sender][receiver] */
};

static struct stream *stream_of(const struct fm_streams *streams, unsigned sender,
                                unsigned receiver)
{
    return &streams->streams[(size_t)sender * streams->workers + receiver];
}

struct fm_streams *fm_streams_create(unsigned workers, size_t record_size,
                                     fm_stream_handler_t *handler, void *owner)
{
    struct fm_streams *streams = fm_allocate_apart(1, sizeof *streams);
    *streams = (struct fm_streams){
        .workers = workers,
        .record_size = fm_engine_aligned(record_size),
        .handler = handler,
        .owner = owner,
        .streams = fm_allocate_apart((size_t)workers * workers, sizeof *streams->streams),
    };
    return streams;
}

void fm_streams_free(struct fm_streams *streams)
{
    if (streams == NULL) {
        return;
    }
    for (size_t s = 0; s < (size_t)streams->workers * streams->workers; ++s) {
        struct stream *stream = &streams->streams[s];
        fm_packets_free(stream->open);
        fm_packets_free(stream->idle);
        fm_packets_free(atomic_load(&stream->full));
        fm_packets_free(atomic_load(&stream->read));
    }
    fm_free(streams->streams);
    fm_free(streams);
}

/* @return an empty packet with room for so much */
static struct fm_packet *open_packet(struct stream *stream, size_t bytes)
{
    if (stream->idle == NULL) {
        stream->idle = atomic_exchange_explicit(&stream->read, NULL, memory_order_acquire);
    }
    struct fm_packet *packet = stream->idle;
    if (packet == NULL || packet->capacity < bytes) {
        packet = fm_packet_create(bytes);
    } else {
        stream->idle = packet->next;
    }
    packet->next = NULL;
    packet->written = 0;
    return packet;
}

/* ---- the receiver ---- */

static void read_packet(const struct fm_streams *streams, unsigned worker,
                        const struct fm_packet *packet)
{
    for (size_t at = 0; at < packet->written; at += HEADER + streams->record_size) {
        struct letter letter;
        memcpy(&letter, packet->letters + at, sizeof letter);
        streams->handler(streams->owner, worker, letter.process, packet->letters + at + HEADER);
    }
}

bool fm_stream_take(struct fm_streams *streams, unsigned worker)
{
    bool found = false;
    for (unsigned sender = 0; sender < streams->workers; ++sender) {
        struct stream *stream = stream_of(streams, sender, worker);
        if (atomic_load_explicit(&stream->full, memory_order_relaxed) == NULL) {
            continue;
        }
        found = true;
        size_t count;
        struct fm_packet *packet = fm_packets_take(&stream->full, &count);
        while (packet != NULL) {
            struct fm_packet *next = packet->next;
            read_packet(streams, worker, packet);
            fm_packet_push(&stream->read, packet);
            packet = next;
        }
    }
    return found;
}

/* ---- the sender ---- */

static void hand_over(struct stream *stream)
{
    if (stream->open != NULL) {
        fm_packet_push(&stream->full, stream->open);
        stream->open = NULL;
    }
}

void fm_stream_hand_over(struct fm_streams *streams, unsigned worker)
{
    for (unsigned receiver = 0; receiver < streams->workers; ++receiver) {
        hand_over(stream_of(streams, worker, receiver));
    }
}

void *fm_stream_post(struct fm_streams *streams, unsigned worker, unsigned receiver,
                     uint32_t process)
{
    const struct letter letter = {process};
    const size_t bytes = HEADER + streams->record_size;
    struct stream *stream = stream_of(streams, worker, receiver);
    if (stream->open != NULL && stream->open->capacity - stream->open->written < bytes) {
        hand_over(stream);
        fm_stream_take(streams, worker);
    }
    if (stream->open == NULL) {
        stream->open = open_packet(stream, bytes);
    }
    unsigned char *place = stream->open->letters + stream->open->written;
    memcpy(place, &letter, sizeof letter);
    stream->open->written += bytes;
    return place + HEADER;
}
