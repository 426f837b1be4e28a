/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages to processes that another process of the team owns, and termination detection by
 * Mattern's four-counter method: the processes add up the numbers of messages sent and received in
 * waves, each of which begins when a process is idle. Two waves in a row with equal sums, all
 * messages received and none sent in between, prove quiescence. Cost: one non-blocking reduction of
 * two numbers for each wave. */
#include "engine/mailbox/mailbox_internal.h"

#include "engine/team/team_internal.h"

#include "base/memory.h"

#include <string.h>

/* Messages are kept back until they fill a packet of about this size, or the worker is idle. The
 * size is that of two short messages: larger packets would delay receivers, which mostly wait. */
#define PACKET_BYTES 64

/* Polls without finding work before a process takes part in a wave. */
#define POLLS_BEFORE_WAVE 200

/* Precedes a message in a packet. */
struct head {
    uint64_t size; /* of the content, rounded up so that the next head is aligned */
    uint32_t process;
    uint32_t padding;
};

typedef FM_VECTOR(unsigned char) byte_vector;

struct fm_mailbox_team {
    struct fm_mailboxes *mailboxes;
    struct fm_transport *transport;
    byte_vector *outgoing;       /* [worker][process of the team] */
    struct fm_packet **incoming; /* [worker]: its messages of an arriving packet */
    pthread_mutex_t lock;        /* of the transport and of the members below */
    atomic_uint_fast64_t sent;   /* messages */
    uint64_t arrived;
    bool in_wave;
    uint64_t last_sums[2]; /* of the wave before */
};

struct fm_mailbox_team *fm_mailbox_team_create(struct fm_mailboxes *mailboxes)
{
    struct fm_engine *engine = mailboxes->engine;
    if (fm_team_size(engine->team) == 1) {
        return NULL;
    }
    struct fm_mailbox_team *team = fm_allocate(1, sizeof *team);
    team->mailboxes = mailboxes;
    team->transport = engine->team->transport;
    team->outgoing =
        fm_allocate((size_t)engine->workers * team->transport->count, sizeof *team->outgoing);
    team->incoming = fm_allocate(engine->workers, sizeof *team->incoming);
    team->last_sums[0] = 1; /* unequal sums: there was no wave before */
    pthread_mutex_init(&team->lock, NULL);
    fm_team_take_again(engine->team);
    return team;
}

void fm_mailbox_team_free(struct fm_mailbox_team *team)
{
    if (team == NULL) {
        return;
    }
    /* A barrier: no process sends messages of the next stage before all processes have stopped
     * receiving in this one. */
    uint64_t ready = 1;
    team->transport->calls->sum(team->transport, &ready, 1);
    for (size_t i = 0; i < (size_t)team->mailboxes->engine->workers * team->transport->count; ++i) {
        fm_vector_free(&team->outgoing[i]);
    }
    pthread_mutex_destroy(&team->lock);
    fm_free(team->outgoing);
    fm_free(team->incoming);
    fm_free(team);
}

static byte_vector *outgoing_of(struct fm_mailbox_team *team, unsigned worker, unsigned to)
{
    return &team->outgoing[(size_t)worker * team->transport->count + to];
}

/* Sends a packet; the transport owns it afterwards. The lock must be held. */
static void send_packet(struct fm_mailbox_team *team, unsigned worker, unsigned to)
{
    byte_vector *packet = outgoing_of(team, worker, to);
    if (packet->count != 0) {
        team->transport->calls->send(team->transport, to,
                                     (struct fm_parcel){packet->items, packet->count});
        *packet = (byte_vector){0};
    }
}

void fm_mailbox_team_send(struct fm_mailbox_team *team, unsigned worker, uint32_t process,
                          const void *message, size_t size)
{
    const struct fm_engine *engine = team->mailboxes->engine;
    unsigned to = engine->owner_of[process] - engine->workers;
    byte_vector *packet = outgoing_of(team, worker, to);
    struct head head = {(size + 15) & ~(size_t)15, process,
                        (uint32_t)(((size + 15) & ~(size_t)15) - size)};
    fm_vector_reserve(packet, sizeof head + head.size);
    memcpy(packet->items + packet->count, &head, sizeof head);
    memcpy(packet->items + packet->count + sizeof head, message, size);
    memset(packet->items + packet->count + sizeof head + size, 0, head.padding);
    packet->count += sizeof head + head.size;
    /* Counted before the packet is sent: the sums differ as long as the message is in transit, also
     * while it is kept back. */
    atomic_fetch_add(&team->sent, 1);
    if (packet->count >= PACKET_BYTES) {
        pthread_mutex_lock(&team->lock);
        send_packet(team, worker, to);
        pthread_mutex_unlock(&team->lock);
    }
}

static void open_packet(struct fm_mailbox_team *team, const struct fm_parcel *packet)
{
    const struct fm_engine *engine = team->mailboxes->engine;
    const unsigned char *content = packet->content;
    for (size_t at = 0; at < packet->bytes;) {
        struct head head;
        memcpy(&head, content + at, sizeof head);
        at += sizeof head;
        unsigned worker = engine->owner_of[head.process];
        fm_mailbox_put(team->mailboxes, &team->incoming[worker], worker, head.process, content + at,
                       head.size - head.padding);
        at += head.size;
        ++team->arrived;
    }
    for (unsigned worker = 0; worker < engine->workers; ++worker) {
        if (team->incoming[worker] != NULL) {
            fm_mailbox_deliver(team->mailboxes, &team->incoming[worker], worker);
        }
    }
    fm_free(packet->content);
}

/* Takes part in the next wave, or polls for its result. */
static void advance_wave(struct fm_mailbox_team *team, unsigned polls)
{
    uint64_t sums[2];
    const struct fm_transport_calls *calls = team->transport->calls;
    if (!team->in_wave) {
        /* This process has no message to handle: its workers send none, and none arrives while the
         * lock is held. */
        if (polls > POLLS_BEFORE_WAVE && atomic_load(&team->mailboxes->under_way) == 0) {
            uint64_t own[2] = {atomic_load(&team->sent), team->arrived};
            calls->begin_wave(team->transport, own);
            team->in_wave = true;
        }
    } else if (calls->end_wave(team->transport, sums)) {
        team->in_wave = false;
        if (sums[0] == sums[1] && sums[0] == team->last_sums[0] && sums[1] == team->last_sums[1]) {
            fm_mailbox_end(team->mailboxes);
        }
        memcpy(team->last_sums, sums, sizeof sums);
    }
}

static void send_packets(struct fm_mailbox_team *team, unsigned worker)
{
    for (unsigned to = 0; to < team->transport->count; ++to) {
        send_packet(team, worker, to);
    }
}

static void receive_packets(struct fm_mailbox_team *team)
{
    unsigned from;
    struct fm_parcel packet;
    while (fm_team_receive(team->mailboxes->engine->team, &from, &packet)) {
        open_packet(team, &packet);
    }
}

void fm_mailbox_team_flush(struct fm_mailbox_team *team, unsigned worker)
{
    pthread_mutex_lock(&team->lock);
    send_packets(team, worker);
    receive_packets(team);
    pthread_mutex_unlock(&team->lock);
}

void fm_mailbox_team_work(struct fm_mailbox_team *team, unsigned worker)
{
    if (pthread_mutex_trylock(&team->lock) == 0) {
        send_packets(team, worker);
        receive_packets(team);
        pthread_mutex_unlock(&team->lock);
    }
}

void fm_mailbox_team_poll(struct fm_mailbox_team *team, unsigned polls)
{
    if (pthread_mutex_trylock(&team->lock) != 0) {
        return;
    }
    receive_packets(team);
    if (!atomic_load(&team->mailboxes->over)) {
        advance_wave(team, polls);
    }
    pthread_mutex_unlock(&team->lock);
}
