/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/dispatch/channels.h"

#include "base/memory.h"
#include "engine/engine_internal.h"
#include "engine/packet.h"

#include <stdatomic.h>
#include <string.h>

/* Precedes a record in a packet, aligned as the record is. */
struct header {
    uint32_t process;
};

#define HEADER fm_engine_aligned(sizeof(struct header))

/* From one worker to another: a stack of full packets, and a stack of read packets that return to
 * the sender for reuse. */
struct channel {
    struct fm_packet *open; /* being written; NULL: none */
    struct fm_packet *idle; /* for reuse: a list of packets */
    fm_packet_stack full;
    fm_packet_stack read;
    unsigned char apart[FM_APART];
};

struct fm_channels {
    unsigned workers;
    size_t record_size; /* in a packet */
    fm_channel_handler_t *handler;
    void *owner;
    struct channel *channels; /* [sender][receiver] */
};

static struct channel *channel_of(const struct fm_channels *channels, unsigned sender,
                                  unsigned receiver)
{
    return &channels->channels[(size_t)sender * channels->workers + receiver];
}

struct fm_channels *fm_channels_create(unsigned workers, size_t record_size,
                                       fm_channel_handler_t *handler, void *owner)
{
    struct fm_channels *channels = fm_allocate_apart(1, sizeof *channels);
    *channels = (struct fm_channels){
        .workers = workers,
        .record_size = fm_engine_aligned(record_size),
        .handler = handler,
        .owner = owner,
        .channels = fm_allocate_apart((size_t)workers * workers, sizeof *channels->channels),
    };
    return channels;
}

void fm_channels_free(struct fm_channels *channels)
{
    if (channels == NULL) {
        return;
    }
    for (size_t s = 0; s < (size_t)channels->workers * channels->workers; ++s) {
        struct channel *channel = &channels->channels[s];
        fm_packets_free(channel->open);
        fm_packets_free(channel->idle);
        fm_packets_free(atomic_load(&channel->full));
        fm_packets_free(atomic_load(&channel->read));
    }
    fm_free(channels->channels);
    fm_free(channels);
}

/* @return an empty packet with room for `bytes` bytes */
static struct fm_packet *open_packet(struct channel *channel, size_t bytes)
{
    if (channel->idle == NULL) {
        channel->idle = atomic_exchange_explicit(&channel->read, NULL, memory_order_acquire);
    }
    struct fm_packet *packet = channel->idle;
    if (packet == NULL || packet->capacity < bytes) {
        packet = fm_packet_create(bytes);
    } else {
        channel->idle = packet->next;
    }
    packet->next = NULL;
    packet->written = 0;
    return packet;
}

/* ---- the receiver ---- */

static void read_packet(const struct fm_channels *channels, unsigned worker,
                        const struct fm_packet *packet)
{
    for (size_t at = 0; at < packet->written; at += HEADER + channels->record_size) {
        struct header header;
        memcpy(&header, packet->content + at, sizeof header);
        channels->handler(channels->owner, worker, header.process, packet->content + at + HEADER);
    }
}

bool fm_channel_take(struct fm_channels *channels, unsigned worker)
{
    bool found = false;
    for (unsigned sender = 0; sender < channels->workers; ++sender) {
        struct channel *channel = channel_of(channels, sender, worker);
        if (atomic_load_explicit(&channel->full, memory_order_relaxed) == NULL) {
            continue;
        }
        found = true;
        size_t count;
        struct fm_packet *packet = fm_packets_take(&channel->full, &count);
        while (packet != NULL) {
            struct fm_packet *next = packet->next;
            read_packet(channels, worker, packet);
            fm_packet_push(&channel->read, packet);
            packet = next;
        }
    }
    return found;
}

/* ---- the sender ---- */

static void hand_over(struct channel *channel)
{
    if (channel->open != NULL) {
        fm_packet_push(&channel->full, channel->open);
        channel->open = NULL;
    }
}

void fm_channel_hand_over(struct fm_channels *channels, unsigned worker)
{
    for (unsigned receiver = 0; receiver < channels->workers; ++receiver) {
        hand_over(channel_of(channels, worker, receiver));
    }
}

void *fm_channel_post(struct fm_channels *channels, unsigned worker, unsigned receiver,
                      uint32_t process)
{
    const struct header header = {process};
    const size_t bytes = HEADER + channels->record_size;
    struct channel *channel = channel_of(channels, worker, receiver);
    if (channel->open != NULL && channel->open->capacity - channel->open->written < bytes) {
        hand_over(channel);
        fm_channel_take(channels, worker);
    }
    if (channel->open == NULL) {
        channel->open = open_packet(channel, bytes);
    }
    unsigned char *place = channel->open->content + channel->open->written;
    memcpy(place, &header, sizeof header);
    channel->open->written += bytes;
    return place + HEADER;
}
