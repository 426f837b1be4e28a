/* SPDX-License-Identifier: BSD-3-Clause */
#include "thread_team.h"

#include "base/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define WAVES 4 /* nobody is more than one ahead of another */

struct packet {
    struct packet *next;
    struct fm_parcel parcel;
    unsigned from;
};

struct wave {
    uint64_t sums[2];
    unsigned begun, ended;
};

/* What the threads share. */
struct hub {
    unsigned size;
    pthread_barrier_t barrier;
    pthread_mutex_t lock;
    const void **given; /* [process]: what it gives in the call at hand */
    struct packet **first, **last;
    struct wave waves[WAVES];
};

struct thread_transport {
    struct fm_transport transport;
    struct hub *hub;
    unsigned wave;
    void (*body)(void *context, struct fm_team *team);
    void *context;
};

static struct hub *hub_of(struct fm_transport *transport)
{
    return ((struct thread_transport *)transport)->hub;
}

static void exchange_sizes(struct fm_transport *transport, const uint64_t *sent, uint64_t *received)
{
    struct hub *hub = hub_of(transport);
    hub->given[transport->self] = sent;
    pthread_barrier_wait(&hub->barrier);
    for (unsigned p = 0; p < hub->size; ++p) {
        received[p] = ((const uint64_t *)hub->given[p])[transport->self];
    }
    pthread_barrier_wait(&hub->barrier);
}

static void exchange(struct fm_transport *transport, const struct fm_parcel *sent,
                     const struct fm_parcel *received)
{
    struct hub *hub = hub_of(transport);
    hub->given[transport->self] = sent;
    pthread_barrier_wait(&hub->barrier);
    for (unsigned p = 0; p < hub->size; ++p) {
        const struct fm_parcel *parcel =
            &((const struct fm_parcel *)hub->given[p])[transport->self];
        if (p != transport->self && parcel->bytes != 0) {
            if (parcel->bytes != received[p].bytes) {
                abort();
            }
            memcpy(received[p].content, parcel->content, parcel->bytes);
        }
    }
    pthread_barrier_wait(&hub->barrier);
}

static void sum(struct fm_transport *transport, uint64_t *values, size_t count)
{
    struct hub *hub = hub_of(transport);
    uint64_t *sums = fm_allocate(count, sizeof *sums);
    hub->given[transport->self] = values;
    pthread_barrier_wait(&hub->barrier);
    for (unsigned p = 0; p < hub->size; ++p) {
        for (size_t i = 0; i < count; ++i) {
            sums[i] += ((const uint64_t *)hub->given[p])[i];
        }
    }
    pthread_barrier_wait(&hub->barrier);
    memcpy(values, sums, count * sizeof *sums);
    fm_free(sums);
}

static void begin_wave(struct fm_transport *transport, const uint64_t values[2])
{
    struct hub *hub = hub_of(transport);
    struct wave *wave = &hub->waves[((struct thread_transport *)transport)->wave % WAVES];
    pthread_mutex_lock(&hub->lock);
    wave->sums[0] += values[0];
    wave->sums[1] += values[1];
    ++wave->begun;
    pthread_mutex_unlock(&hub->lock);
}

static bool end_wave(struct fm_transport *transport, uint64_t sums[2])
{
    struct hub *hub = hub_of(transport);
    struct thread_transport *own = (struct thread_transport *)transport;
    struct wave *wave = &hub->waves[own->wave % WAVES];
    pthread_mutex_lock(&hub->lock);
    bool complete = wave->begun == hub->size;
    if (complete) {
        memcpy(sums, wave->sums, sizeof wave->sums);
        ++own->wave;
        if (++wave->ended == hub->size) {
            *wave = (struct wave){0};
        }
    }
    pthread_mutex_unlock(&hub->lock);
    return complete;
}

static void send_packet(struct fm_transport *transport, unsigned to, struct fm_parcel parcel)
{
    struct hub *hub = hub_of(transport);
    struct packet *packet = fm_allocate(1, sizeof *packet);
    *packet = (struct packet){NULL, parcel, transport->self};
    pthread_mutex_lock(&hub->lock);
    if (hub->first[to] == NULL) {
        hub->first[to] = packet;
    } else {
        hub->last[to]->next = packet;
    }
    hub->last[to] = packet;
    pthread_mutex_unlock(&hub->lock);
}

static bool all_left(struct fm_transport *transport)
{
    (void)transport;
    return true;
}

static bool receive_packet(struct fm_transport *transport, unsigned *from, struct fm_parcel *parcel)
{
    struct hub *hub = hub_of(transport);
    pthread_mutex_lock(&hub->lock);
    struct packet *packet = hub->first[transport->self];
    if (packet != NULL) {
        hub->first[transport->self] = packet->next;
    }
    pthread_mutex_unlock(&hub->lock);
    if (packet == NULL) {
        return false;
    }
    *from = packet->from;
    *parcel = packet->parcel;
    fm_free(packet);
    return true;
}

static void abandon(struct fm_transport *transport, int status)
{
    (void)transport;
    exit(status);
}

static void close_transport(struct fm_transport *transport)
{
    (void)transport;
}

static const struct fm_transport_calls calls = {
    .exchange_sizes = exchange_sizes,
    .exchange = exchange,
    .sum = sum,
    .begin_wave = begin_wave,
    .end_wave = end_wave,
    .send = send_packet,
    .all_left = all_left,
    .receive = receive_packet,
    .abandon = abandon,
    .close = close_transport,
};

static void *run_process(void *argument)
{
    struct thread_transport *own = argument;
    struct fm_team *team = fm_team_create(&own->transport);
    own->body(own->context, team);
    fm_team_free(team);
    return NULL;
}

void run_thread_team(unsigned size, void (*body)(void *context, struct fm_team *team),
                     void *context)
{
    struct hub hub = {
        .size = size,
        .given = fm_allocate(size, sizeof *hub.given),
        .first = fm_allocate(size, sizeof *hub.first),
        .last = fm_allocate(size, sizeof *hub.last),
    };
    struct thread_transport *processes = fm_allocate(size, sizeof *processes);
    pthread_t *threads = fm_allocate(size, sizeof *threads);
    pthread_barrier_init(&hub.barrier, NULL, size);
    pthread_mutex_init(&hub.lock, NULL);
    for (unsigned p = 0; p < size; ++p) {
        processes[p] = (struct thread_transport){
            .transport = {&calls, p, size, size}, .hub = &hub, .body = body, .context = context};
        if (pthread_create(&threads[p], NULL, run_process, &processes[p]) != 0) {
            abort();
        }
    }
    for (unsigned p = 0; p < size; ++p) {
        pthread_join(threads[p], NULL);
    }
    pthread_barrier_destroy(&hub.barrier);
    pthread_mutex_destroy(&hub.lock);
    fm_free(threads);
    fm_free(processes);
    fm_free(hub.given);
    fm_free(hub.first);
    fm_free(hub.last);
}
