/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/dispatch/team_channels.h"

#include "base/containers/vector.h"
#include "base/memory.h"
#include "engine/dispatch/dispatch.h"
#include "engine/engine_internal.h"
#include "engine/team/team_internal.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* Size of a packet, unless a single record with its items is larger. */
#define PACKET_BYTES ((size_t)32768)

/* Precedes a record in a packet; the items follow the record. Each part is aligned. */
struct head {
    uint32_t process;
    uint32_t count; /* of items */
};

/* The packet that a worker writes for one process of the team. */
struct open_packet {
    unsigned char *content;
    size_t written, capacity;
};

/* A packet that was filled between runs, to be sent in the next one. */
struct kept_packet {
    struct fm_parcel parcel;
    unsigned to;
};

struct sender {
    struct open_packet *open; /* [process of the team] */
    FM_VECTOR(struct kept_packet) kept;
    unsigned char apart[FM_APART];
};

struct fm_team_channels {
    struct fm_engine *engine;
    struct fm_team *team;
    size_t record_size;
    size_t items_at, item_size; /* of the records' items; item_size 0: none */
    fm_team_channel_taker_t *take;
    void *owner;
    struct sender *senders; /* [worker] */

    bool runs;
    pthread_mutex_t lock;     /* of the transport */
    atomic_uint senders_left; /* workers that have not handed over their last records */
    atomic_uint ends_left;    /* processes whose empty message has not arrived */
    bool *has_ended;          /* [process of the team]: its empty message has arrived */
    FM_VECTOR(void *) taken;  /* packets whose items are still needed */
};

struct fm_team_channels *fm_team_channels_create(struct fm_engine *engine, size_t record_size,
                                                 fm_team_channel_taker_t *take, void *owner)
{
    unsigned size = fm_team_size(engine->team);
    if (size == 1) {
        return NULL;
    }
    struct fm_team_channels *channels = fm_allocate_apart(1, sizeof *channels);
    channels->engine = engine;
    channels->team = engine->team;
    channels->record_size = record_size;
    channels->take = take;
    channels->owner = owner;
    channels->senders = fm_allocate_apart(engine->workers, sizeof *channels->senders);
    for (unsigned w = 0; w < engine->workers; ++w) {
        channels->senders[w].open = fm_allocate(size, sizeof(struct open_packet));
    }
    channels->has_ended = fm_allocate(size, sizeof *channels->has_ended);
    pthread_mutex_init(&channels->lock, NULL);
    return channels;
}

void fm_team_channels_carry_items(struct fm_team_channels *channels, size_t offset,
                                  size_t item_size)
{
    channels->items_at = offset;
    channels->item_size = item_size;
}

void fm_team_channels_free(struct fm_team_channels *channels)
{
    if (channels == NULL) {
        return;
    }
    for (unsigned w = 0; w < channels->engine->workers; ++w) {
        fm_free(channels->senders[w].open);
        fm_vector_free(&channels->senders[w].kept);
    }
    pthread_mutex_destroy(&channels->lock);
    fm_vector_free(&channels->taken);
    fm_free(channels->senders);
    fm_free(channels->has_ended);
    fm_free(channels);
}

/* ---- the senders ---- */

static void send(struct fm_team_channels *channels, unsigned to, struct fm_parcel parcel)
{
    struct fm_transport *transport = channels->team->transport;
    pthread_mutex_lock(&channels->lock);
    transport->calls->send(transport, to, parcel);
    pthread_mutex_unlock(&channels->lock);
}

static void send_kept(struct fm_team_channels *channels, struct sender *sender)
{
    for (size_t i = 0; i < sender->kept.count; ++i) {
        send(channels, sender->kept.items[i].to, sender->kept.items[i].parcel);
    }
    sender->kept.count = 0;
}

/* Sends the packet that a worker has written, or keeps it for the next run. */
static void close_packet(struct fm_team_channels *channels, struct sender *sender, unsigned to)
{
    struct open_packet *packet = &sender->open[to];
    struct fm_parcel parcel = {packet->content, packet->written};
    *packet = (struct open_packet){0};
    if (parcel.bytes == 0) {
        return;
    }
    if (channels->runs) {
        send_kept(channels, sender); /* first, since those packets were written earlier */
        send(channels, to, parcel);
    } else {
        fm_vector_push(&sender->kept, (struct kept_packet){parcel, to});
    }
}

static struct fm_items items_of(const struct fm_team_channels *channels, const void *record)
{
    struct fm_items items = {0};
    if (channels->item_size != 0) {
        memcpy(&items, (const unsigned char *)record + channels->items_at, sizeof items);
    }
    return items;
}

static size_t room_for(const struct fm_team_channels *channels, uint32_t count)
{
    return sizeof(struct head) + fm_engine_aligned(channels->record_size) +
           fm_engine_aligned(count * channels->item_size);
}

void fm_team_channel_post(struct fm_team_channels *channels, unsigned worker, uint32_t process,
                          const void *record)
{
    const struct fm_items items = items_of(channels, record);
    const uint32_t count = items.count;
    unsigned to = channels->engine->owner_of[process] - channels->engine->workers;
    struct sender *sender = &channels->senders[worker];
    struct open_packet *packet = &sender->open[to];
    size_t bytes = room_for(channels, count);
    if (packet->capacity - packet->written < bytes) {
        close_packet(channels, sender, to);
        packet->capacity = bytes > PACKET_BYTES ? bytes : PACKET_BYTES;
        packet->content = fm_resize(NULL, 0, packet->capacity);
    }
    const struct head head = {process, count};
    unsigned char *place = packet->content + packet->written;
    memcpy(place, &head, sizeof head);
    memcpy(place + sizeof head, record, channels->record_size);
    if (count != 0) {
        memcpy(place + sizeof head + fm_engine_aligned(channels->record_size), items.items,
               count * channels->item_size);
    }
    packet->written += bytes;
}

void fm_team_channel_hand_over(struct fm_team_channels *channels, unsigned worker)
{
    struct sender *sender = &channels->senders[worker];
    unsigned self = fm_team_self(channels->team), size = fm_team_size(channels->team);
    send_kept(channels, sender);
    for (unsigned to = 0; to < size; ++to) {
        close_packet(channels, sender, to);
    }
    if (atomic_fetch_sub(&channels->senders_left, 1) == 1) {
        for (unsigned step = 1; step < size; ++step) {
            send(channels, (self + step) % size, (struct fm_parcel){NULL, 0});
        }
    }
}

/* ---- the receiver ---- */

static void read_packet(struct fm_team_channels *channels, const struct fm_parcel *packet)
{
    unsigned char *content = packet->content;
    size_t record_room = fm_engine_aligned(channels->record_size);
    for (size_t at = 0; at < packet->bytes;) {
        struct head head;
        memcpy(&head, content + at, sizeof head);
        unsigned char *record = content + at + sizeof head;
        if (channels->item_size != 0) {
            const struct fm_items items = {record + record_room, head.count};
            memcpy(record + channels->items_at, &items, sizeof items);
        }
        channels->take(channels->owner, 0, head.process, record);
        at += room_for(channels, head.count);
    }
}

/* @return whether a packet of the current run has arrived */
static bool receive(struct fm_team_channels *channels, unsigned *from, struct fm_parcel *packet)
{
    bool found = false;
    if (pthread_mutex_trylock(&channels->lock) != 0) {
        return false;
    }
    while (!found && fm_team_receive(channels->team, from, packet)) {
        /* A process that has ended this run may have begun the next one. */
        found = !channels->has_ended[*from];
        if (!found) {
            fm_team_put_back(channels->team, *from, *packet);
        }
    }
    pthread_mutex_unlock(&channels->lock);
    return found;
}

bool fm_team_channel_take(struct fm_team_channels *channels)
{
    unsigned from;
    struct fm_parcel packet;
    if (!receive(channels, &from, &packet)) {
        return false;
    }
    if (packet.bytes == 0) {
        fm_free(packet.content);
        channels->has_ended[from] = true;
        atomic_fetch_sub(&channels->ends_left, 1);
        return true;
    }
    read_packet(channels, &packet);
    if (channels->item_size == 0) {
        fm_free(packet.content);
    } else {
        fm_vector_push(&channels->taken, packet.content);
    }
    return true;
}

/* ---- runs ---- */

void fm_team_channels_begin(struct fm_team_channels *channels)
{
    unsigned size = fm_team_size(channels->team);
    memset(channels->has_ended, 0, size * sizeof *channels->has_ended);
    atomic_store(&channels->senders_left, channels->engine->workers);
    atomic_store(&channels->ends_left, size - 1);
    fm_team_take_again(channels->team);
    channels->runs = true;
}

bool fm_team_channel_is_over(struct fm_team_channels *channels, unsigned worker)
{
    if (atomic_load(&channels->ends_left) != 0) {
        return false;
    }
    if (worker != 0) {
        return true;
    }
    /* Messages in transit may need calls of the MPI library by this process (progress). */
    struct fm_transport *transport = channels->team->transport;
    pthread_mutex_lock(&channels->lock);
    bool left = transport->calls->all_left(transport);
    pthread_mutex_unlock(&channels->lock);
    return left;
}

void fm_team_channels_end(struct fm_team_channels *channels)
{
    channels->runs = false;
    for (size_t i = 0; i < channels->taken.count; ++i) {
        fm_free(channels->taken.items[i]);
    }
    channels->taken.count = 0;
}
