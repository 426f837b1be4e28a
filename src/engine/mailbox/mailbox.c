/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/mailbox/mailbox_internal.h"

#include "base/memory.h"
#include "engine/backoff.h"

#include <sched.h>
#include <string.h>
#include <time.h>

/* Largest number of packets that a worker keeps for reuse. */
#define MOST_SPARE 64

/* Messages that are handled between two calls of fm_mailbox_team_work(). */
#define MESSAGES_AT_ONCE 64

/* Precedes a message in a packet. */
struct header {
    uint32_t size;
    uint32_t process;
};

static size_t room_for(size_t size)
{
    return sizeof(struct header) + fm_engine_aligned(size);
}

static bool has_room(const struct fm_packet *packet, size_t bytes)
{
    return packet->capacity - packet->written >= bytes;
}

/* @return an empty packet, a spare one if it is large enough */
static struct fm_packet *take_packet(struct fm_outbox *outbox, size_t bytes)
{
    struct fm_packet *packet = outbox->spare;
    if (packet == NULL || packet->capacity < bytes) {
        return fm_packet_create(bytes);
    }
    outbox->spare = packet->next;
    --outbox->spare_count;
    packet->written = packet->read = 0;
    return packet;
}

static void append(struct fm_packet_list *list, struct fm_packet *packet)
{
    packet->next = NULL;
    if (list->last == NULL) {
        list->first = packet;
    } else {
        list->last->next = packet;
    }
    list->last = packet;
}

/* Wakes the worker of a mailbox if it sleeps. The worker sets `sleeps` before its last poll of the
 * mailbox, and the sender pushes before it reads `sleeps`: at least one of the two reads the write
 * of the other. */
static void wake(struct fm_mailbox *box)
{
    if (atomic_load(&box->sleeps)) {
        pthread_mutex_lock(&box->lock);
        pthread_cond_signal(&box->arrived);
        pthread_mutex_unlock(&box->lock);
    }
}

void fm_mailbox_deliver(struct fm_mailboxes *mailboxes, struct fm_packet **packet, unsigned worker)
{
    struct fm_mailbox *box = &mailboxes->boxes[worker];
    struct fm_packet *delivered = *packet;
    *packet = NULL;
    atomic_fetch_add(&mailboxes->under_way, 1);
    fm_packet_push(&box->packets, delivered);
    wake(box);
}

static void send_packet(struct fm_mailboxes *mailboxes, struct fm_outbox *outbox, unsigned receiver)
{
    outbox->last_receiver = receiver;
    fm_mailbox_deliver(mailboxes, &outbox->packets[receiver], receiver);
}

static void deliver_all(struct fm_mailboxes *mailboxes, unsigned worker)
{
    struct fm_outbox *outbox = &mailboxes->outboxes[worker];
    for (unsigned receiver = 0; receiver < mailboxes->engine->workers; ++receiver) {
        if (outbox->packets[receiver] != NULL) {
            send_packet(mailboxes, outbox, receiver);
        }
    }
}

static void write_message(struct fm_packet *packet, uint32_t process, const void *message,
                          size_t size)
{
    struct header header = {(uint32_t)size, process};
    unsigned char *place = packet->content + packet->written;
    memcpy(place, &header, sizeof header);
    memcpy(place + sizeof header, message, size);
    packet->written += room_for(size);
}

void fm_mailbox_put(struct fm_mailboxes *mailboxes, struct fm_packet **packet, unsigned worker,
                    uint32_t process, const void *message, size_t size)
{
    if (*packet != NULL && !has_room(*packet, room_for(size))) {
        fm_mailbox_deliver(mailboxes, packet, worker);
    }
    if (*packet == NULL) {
        *packet = fm_packet_create(room_for(size));
    }
    write_message(*packet, process, message, size);
}

static void send_to_self(struct fm_outbox *outbox, uint32_t process, const void *message,
                         size_t size)
{
    if (outbox->own.last == NULL || !has_room(outbox->own.last, room_for(size))) {
        append(&outbox->own, take_packet(outbox, room_for(size)));
    }
    write_message(outbox->own.last, process, message, size);
}

static void send_to_worker(struct fm_mailboxes *mailboxes, struct fm_outbox *outbox,
                           unsigned receiver, uint32_t process, const void *message, size_t size)
{
    struct fm_packet **packet = &outbox->packets[receiver];
    if (*packet != NULL && !has_room(*packet, room_for(size))) {
        send_packet(mailboxes, outbox, receiver);
    }
    if (*packet == NULL) {
        *packet = take_packet(outbox, room_for(size));
    }
    write_message(*packet, process, message, size);
    atomic_bool *waits = &mailboxes->boxes[receiver].waits;
    if (atomic_load_explicit(waits, memory_order_relaxed) && atomic_exchange(waits, false)) {
        send_packet(mailboxes, outbox, receiver);
    }
}

void fm_mailbox_send(struct fm_mailboxes *mailboxes, unsigned worker, uint32_t process,
                     const void *message, size_t size)
{
    unsigned receiver = mailboxes->engine->owner_of[process];
    ++mailboxes->outboxes[worker].messages;
    mailboxes->outboxes[worker].bytes += size;
    if (receiver == worker) {
        send_to_self(&mailboxes->outboxes[worker], process, message, size);
    } else if (receiver < mailboxes->engine->workers) {
        send_to_worker(mailboxes, &mailboxes->outboxes[worker], receiver, process, message, size);
    } else {
        fm_mailbox_team_send(mailboxes->team, worker, process, message, size);
    }
}

static void read_messages(struct fm_mailboxes *mailboxes, unsigned worker, struct fm_packet *packet)
{
    for (unsigned read = 1; packet->read < packet->written; ++read) {
        struct header header;
        const unsigned char *place = packet->content + packet->read;
        memcpy(&header, place, sizeof header);
        packet->read += room_for(header.size);
        mailboxes->handler(mailboxes->context, mailboxes, worker, header.process,
                           place + sizeof header, header.size);
        if (mailboxes->team != NULL && read % MESSAGES_AT_ONCE == 0) {
            fm_mailbox_team_work(mailboxes->team, worker);
        }
    }
}

/* Keeps a packet for reuse, or frees it. */
static void put_away(struct fm_outbox *outbox, struct fm_packet *packet)
{
    if (outbox->spare_count < MOST_SPARE) {
        packet->next = outbox->spare;
        outbox->spare = packet;
        ++outbox->spare_count;
    } else {
        fm_free(packet);
    }
}

/* Handles the worker's messages to itself, including those that their handlers send. */
static void read_own(struct fm_mailboxes *mailboxes, unsigned worker)
{
    struct fm_outbox *outbox = &mailboxes->outboxes[worker];
    struct fm_packet *packet;
    while ((packet = outbox->own.first) != NULL) {
        read_messages(mailboxes, worker, packet);
        outbox->own.first = packet->next;
        if (outbox->own.first == NULL) {
            outbox->own.last = NULL;
        }
        put_away(outbox, packet);
    }
}

void fm_mailbox_end(struct fm_mailboxes *mailboxes)
{
    atomic_store(&mailboxes->over, true);
    for (unsigned w = 0; w < mailboxes->engine->workers; ++w) {
        pthread_mutex_lock(&mailboxes->boxes[w].lock);
        pthread_cond_signal(&mailboxes->boxes[w].arrived);
        pthread_mutex_unlock(&mailboxes->boxes[w].lock);
    }
}

static bool is_there(const struct fm_mailboxes *mailboxes, unsigned worker)
{
    return atomic_load(&mailboxes->boxes[worker].packets) != NULL || atomic_load(&mailboxes->over);
}

/* Sleeps until a packet is in the mailbox or the stage is over, but at most `nanoseconds` (0: no
 * limit). */
static void sleep_until_there(struct fm_mailboxes *mailboxes, unsigned worker, long nanoseconds)
{
    struct fm_mailbox *box = &mailboxes->boxes[worker];
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += nanoseconds;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&box->lock);
    atomic_store(&box->sleeps, true);
    for (int status = 0; status == 0 && !is_there(mailboxes, worker);) {
        status = nanoseconds == 0 ? pthread_cond_wait(&box->arrived, &box->lock)
                                  : pthread_cond_timedwait(&box->arrived, &box->lock, &until);
    }
    atomic_store(&box->sleeps, false);
    pthread_mutex_unlock(&box->lock);
}

/* Waits until a packet is in the mailbox or the stage is over. Spins first, since the next packet
 * mostly arrives soon. */
static void wait_for_workers(struct fm_mailboxes *mailboxes, unsigned worker)
{
    for (unsigned turn = 0; !is_there(mailboxes, worker); ++turn) {
        if (!fm_spin(turn)) {
            sleep_until_there(mailboxes, worker, 0);
        }
    }
}

/* As wait_for_workers(), and drives the exchange of messages with the other processes. */
static void wait_for_team(struct fm_mailboxes *mailboxes, unsigned worker)
{
    for (unsigned idle = 0; !is_there(mailboxes, worker); ++idle) {
        long nanoseconds = fm_backoff_nanoseconds(idle);
        if (nanoseconds != 0) {
            sleep_until_there(mailboxes, worker, nanoseconds);
        } else if (idle > FM_BACKOFF_POLLS) {
            sched_yield();
        }
        fm_mailbox_team_poll(mailboxes->team, idle + 1);
    }
}

static void wait(struct fm_mailboxes *mailboxes, unsigned worker)
{
    if (mailboxes->team == NULL) {
        wait_for_workers(mailboxes, worker);
    } else {
        wait_for_team(mailboxes, worker);
    }
}

/* Takes up an idle worker that has packets.
 * @return the packets; NULL: there are none, or another thread has taken it up */
static struct fm_packet *take_up(struct fm_mailboxes *mailboxes, unsigned worker)
{
    struct fm_mailbox *box = &mailboxes->boxes[worker];
    size_t count;
    if (atomic_load(&box->packets) == NULL || atomic_exchange(&box->taken, true)) {
        return NULL;
    }
    struct fm_packet *packets = fm_packets_take(&box->packets, &count);
    if (packets == NULL) {
        atomic_store(&box->taken, false);
        return NULL;
    }
    atomic_store(&box->waits, false);
    /* `under_way` counted each of these packets; from here on it counts the worker instead. */
    if (count != 1) {
        atomic_fetch_sub(&mailboxes->under_way, count - 1);
    }
    mailboxes->outboxes[worker].last_receiver = FM_NO_WORKER;
    return packets;
}

/* Puts a worker down that has no messages left. If the team has one process, the last one ends the
 * stage. A packet that has just arrived is noticed by the worker's own thread. */
static void put_down(struct fm_mailboxes *mailboxes, unsigned worker)
{
    struct fm_mailbox *box = &mailboxes->boxes[worker];
    if (mailboxes->team != NULL) {
        fm_mailbox_team_flush(mailboxes->team, worker);
    }
    atomic_store(&box->waits, true);
    atomic_store(&box->taken, false);
    if (atomic_fetch_sub(&mailboxes->under_way, 1) == 1 && mailboxes->team == NULL) {
        fm_mailbox_end(mailboxes);
    }
}

static void read_packets(struct fm_mailboxes *mailboxes, unsigned worker, struct fm_packet *packet)
{
    while (packet != NULL) {
        struct fm_packet *next = packet->next;
        read_messages(mailboxes, worker, packet);
        put_away(&mailboxes->outboxes[worker], packet);
        if (mailboxes->team != NULL) {
            fm_mailbox_team_work(mailboxes->team, worker);
        }
        packet = next;
    }
}

/* Handles messages of a worker that the thread has taken up, until there are none, and puts it
 * down.
 * @return the worker to which it has sent its last packet; FM_NO_WORKER: none */
static unsigned serve(struct fm_mailboxes *mailboxes, unsigned worker)
{
    struct fm_mailbox *box = &mailboxes->boxes[worker];
    for (;;) {
        size_t count;
        read_own(mailboxes, worker);
        deliver_all(mailboxes, worker);
        struct fm_packet *packets = fm_packets_take(&box->packets, &count);
        if (packets == NULL) {
            break;
        }
        atomic_fetch_sub(&mailboxes->under_way, count);
        read_packets(mailboxes, worker, packets);
    }
    const unsigned receiver = mailboxes->outboxes[worker].last_receiver;
    put_down(mailboxes, worker);
    return receiver;
}

/* The thread of a worker. */
static void work(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    struct fm_mailboxes *mailboxes = context;
    mailboxes->start(mailboxes->context, mailboxes, worker, first, last);
    unsigned receiver = serve(mailboxes, worker);
    while (!atomic_load(&mailboxes->over)) {
        unsigned taken = worker;
        struct fm_packet *packets = take_up(mailboxes, worker);
        if (packets == NULL && receiver != FM_NO_WORKER) {
            taken = receiver;
            packets = take_up(mailboxes, receiver);
        }
        if (packets != NULL) {
            read_packets(mailboxes, taken, packets);
            receiver = serve(mailboxes, taken);
        } else {
            receiver = FM_NO_WORKER;
            wait(mailboxes, worker);
        }
    }
}

void fm_mailboxes_run(struct fm_engine *engine, fm_mailbox_start_t *start,
                      fm_mailbox_handler_t *handler, void *context)
{
    struct fm_mailboxes mailboxes = {
        .engine = engine,
        .start = start,
        .handler = handler,
        .context = context,
        .boxes = fm_allocate_apart(engine->workers, sizeof(struct fm_mailbox)),
        .outboxes = fm_allocate_apart(engine->workers, sizeof(struct fm_outbox)),
        .under_way = engine->workers,
    };
    for (unsigned w = 0; w < engine->workers; ++w) {
        pthread_mutex_init(&mailboxes.boxes[w].lock, NULL);
        pthread_cond_init(&mailboxes.boxes[w].arrived, NULL);
        atomic_init(&mailboxes.boxes[w].taken, true);
        mailboxes.outboxes[w].packets =
            fm_allocate(engine->workers, sizeof *mailboxes.outboxes[w].packets);
        mailboxes.outboxes[w].last_receiver = FM_NO_WORKER;
    }
    mailboxes.team = fm_mailbox_team_create(&mailboxes);
    fm_engine_run(engine, work, &mailboxes);
    fm_mailbox_team_free(mailboxes.team);
    for (unsigned w = 0; w < engine->workers; ++w) {
        fm_stage_count(engine->times, mailboxes.outboxes[w].messages, mailboxes.outboxes[w].bytes);
    }
    for (unsigned w = 0; w < engine->workers; ++w) {
        fm_packets_free(mailboxes.outboxes[w].spare);
        fm_free(mailboxes.outboxes[w].packets);
        pthread_cond_destroy(&mailboxes.boxes[w].arrived);
        pthread_mutex_destroy(&mailboxes.boxes[w].lock);
    }
    fm_free(mailboxes.outboxes);
    fm_free(mailboxes.boxes);
}
