#include "engine/team_stream.h"

#include "base/containers/vector.h"
#include "base/memory.h"
#include "engine/engine_internal.h"
#include "engine/team_internal.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* So large is a packet, unless a single record with its items is larger. */
#define PACKET_BYTES ((size_t)32768)

/* What stands before a record in a packet; its items follow. All is aligned. */
struct head {
    uint32_t process;
    uint32_t count; /* of items */
};

/* The packet that a worker writes for one process of the team. */
struct open_packet {
    unsigned char *content;
    size_t written, capacity;
};

/* A packet that was written while there was no run. */
struct kept_packet {
    struct fm_parcel parcel;
    unsigned to;
};

struct sender {
    struct open_packet *open; /* [process of the team] */
    FM_VECTOR(struct kept_packet) kept;
    unsigned char apart[FM_APART];
};

struct fm_team_streams {
    struct fm_engine *engine;
    struct fm_team *team;
    size_t record_size, item_size;
    fm_team_stream_taker_t *take;
    void *owner;
    struct sender *senders; /* [worker] */

    bool runs;
    pthread_mutex_t lock;     /* of the transport */
    atomic_uint senders_left; /* workers that have not handed over */
    atomic_uint ends_left;    /* processes whose end has not come */
    bool *has_ended;          /* [process of the team]: its end has come */
    FM_VECTOR(void *) taken;  /* packets whose items are still needed */
};

struct fm_team_streams *fm_team_streams_create(struct fm_engine *engine, size_t record_size,
                                               size_t item_size, fm_team_stream_taker_t *take,
                                               void *owner)
{
    unsigned size = fm_team_size(engine->team);
    if (size == 1) {
        return NULL;
    }
    struct fm_team_streams *streams = fm_allocate_apart(1, sizeof *streams);
    streams->engine = engine;
    streams->team = engine->team;
    streams->record_size = record_size;
    streams->item_size = item_size;
    streams->take = take;
    streams->owner = owner;
    streams->senders = fm_allocate_apart(engine->workers, sizeof *streams->senders);
    for (unsigned w = 0; w < engine->workers; ++w) {
        streams->senders[w].open = fm_allocate(size, sizeof(struct open_packet));
    }
    streams->has_ended = fm_allocate(size, sizeof *streams->has_ended);
    pthread_mutex_init(&streams->lock, NULL);
    return streams;
}

void fm_team_streams_free(struct fm_team_streams *streams)
{
    if (streams == NULL) {
        return;
    }
    for (unsigned w = 0; w < streams->engine->workers; ++w) {
        fm_free(streams->senders[w].open);
        fm_vector_free(&streams->senders[w].kept);
    }
    pthread_mutex_destroy(&streams->lock);
    fm_vector_free(&streams->taken);
    fm_free(streams->senders);
    fm_free(streams->has_ended);
    fm_free(streams);
}

/* ---- the senders ---- */

static void send(struct fm_team_streams *streams, unsigned to, struct fm_parcel parcel)
{
    struct fm_transport *transport = streams->team->transport;
    pthread_mutex_lock(&streams->lock);
    transport->calls->send(transport, to, parcel);
    pthread_mutex_unlock(&streams->lock);
}

static void send_kept(struct fm_team_streams *streams, struct sender *sender)
{
    for (size_t i = 0; i < sender->kept.count; ++i) {
        send(streams, sender->kept.items[i].to, sender->kept.items[i].parcel);
    }
    sender->kept.count = 0;
}

/* Sends the packet that a worker has written, or keeps it for the next run. */
static void close_packet(struct fm_team_streams *streams, struct sender *sender, unsigned to)
{
    struct open_packet *packet = &sender->open[to];
    struct fm_parcel parcel = {packet->content, packet->written};
    *packet = (struct open_packet){0};
    if (parcel.bytes == 0) {
        return;
    }
    if (streams->runs) {
        send_kept(streams, sender); /* it was written before */
        send(streams, to, parcel);
    } else {
        fm_vector_push(&sender->kept, (struct kept_packet){parcel, to});
    }
}

static size_t room_for(const struct fm_team_streams *streams, uint32_t count)
{
    return sizeof(struct head) + fm_engine_aligned(streams->record_size) +
           fm_engine_aligned(count * streams->item_size);
}

void fm_team_stream_post(struct fm_team_streams *streams, unsigned worker, uint32_t process,
                         const void *record, const void *items, uint32_t count)
{
    unsigned to = streams->engine->owner_of[process] - streams->engine->workers;
    struct sender *sender = &streams->senders[worker];
    struct open_packet *packet = &sender->open[to];
    size_t bytes = room_for(streams, count);
    if (packet->capacity - packet->written < bytes) {
        close_packet(streams, sender, to);
        packet->capacity = bytes > PACKET_BYTES ? bytes : PACKET_BYTES;
        packet->content = fm_resize(NULL, 0, packet->capacity);
    }
    const struct head head = {process, count};
    unsigned char *place = packet->content + packet->written;
    memcpy(place, &head, sizeof head);
    memcpy(place + sizeof head, record, streams->record_size);
    if (count != 0) {
        memcpy(place + sizeof head + fm_engine_aligned(streams->record_size), items,
               count * streams->item_size);
    }
    packet->written += bytes;
}

void fm_team_stream_hand_over(struct fm_team_streams *streams, unsigned worker)
{
    struct sender *sender = &streams->senders[worker];
    unsigned self = fm_team_self(streams->team), size = fm_team_size(streams->team);
    send_kept(streams, sender);
    for (unsigned to = 0; to < size; ++to) {
        close_packet(streams, sender, to);
    }
    if (atomic_fetch_sub(&streams->senders_left, 1) == 1) {
        for (unsigned step = 1; step < size; ++step) {
            send(streams, (self + step) % size, (struct fm_parcel){NULL, 0});
        }
    }
}

/* ---- the receiver ---- */

static void read_packet(struct fm_team_streams *streams, const struct fm_parcel *packet)
{
    const unsigned char *content = packet->content;
    size_t record_room = fm_engine_aligned(streams->record_size);
    for (size_t at = 0; at < packet->bytes;) {
        struct head head;
        memcpy(&head, content + at, sizeof head);
        const unsigned char *record = content + at + sizeof head;
        streams->take(streams->owner, 0, head.process, record, record + record_room, head.count);
        at += room_for(streams, head.count);
    }
}

/* @return whether there was one of the run at hand */
static bool receive(struct fm_team_streams *streams, unsigned *from, struct fm_parcel *packet)
{
    bool found = false;
    if (pthread_mutex_trylock(&streams->lock) != 0) {
        return false;
    }
    while (!found && fm_team_receive(streams->team, from, packet)) {
        /* Who has ended this run may have begun the next one. */
        found = !streams->has_ended[*from];
        if (!found) {
            fm_team_put_back(streams->team, *from, *packet);
        }
    }
    pthread_mutex_unlock(&streams->lock);
    return found;
}

bool fm_team_stream_take(struct fm_team_streams *streams)
{
    unsigned from;
    struct fm_parcel packet;
    if (!receive(streams, &from, &packet)) {
        return false;
    }
    if (packet.bytes == 0) {
        fm_free(packet.content);
        streams->has_ended[from] = true;
        atomic_fetch_sub(&streams->ends_left, 1);
        return true;
    }
    read_packet(streams, &packet);
    if (streams->item_size == 0) {
        fm_free(packet.content);
    } else {
        fm_vector_push(&streams->taken, packet.content);
    }
    return true;
}

/* ---- runs ---- */

void fm_team_streams_begin(struct fm_team_streams *streams)
{
    unsigned size = fm_team_size(streams->team);
    memset(streams->has_ended, 0, size * sizeof *streams->has_ended);
    atomic_store(&streams->senders_left, streams->engine->workers);
    atomic_store(&streams->ends_left, size - 1);
    fm_team_take_again(streams->team);
    streams->runs = true;
}

bool fm_team_stream_is_over(struct fm_team_streams *streams, unsigned worker)
{
    if (atomic_load(&streams->ends_left) != 0) {
        return false;
    }
    if (worker != 0) {
        return true;
    }
    /* An MPI library may need its process for what is still on its way. */
    struct fm_transport *transport = streams->team->transport;
    pthread_mutex_lock(&streams->lock);
    bool left = transport->calls->all_left(transport);
    pthread_mutex_unlock(&streams->lock);
    return left;
}

void fm_team_streams_end(struct fm_team_streams *streams)
{
    streams->runs = false;
    for (size_t i = 0; i < streams->taken.count; ++i) {
        fm_free(streams->taken.items[i]);
    }
    streams->taken.count = 0;
}
