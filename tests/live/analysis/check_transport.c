/* SPDX-License-Identifier: BSD-3-Clause */
/* What the calls of a transport promise, between processes that mpirun has started.
 *
 * usage: mpirun ... check_transport LIBRARY PROCESSES */
#include "base/memory.h"
#include "engine/backoff.h"
#include "engine/team/transport_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);          \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* Contents that tell from whom to whom they are, and which: of no, few, or many bytes, also of
 * more than travel at once. */
static size_t size_of(unsigned from, unsigned to, unsigned number)
{
    static const size_t sizes[] = {0, 1, 40, 5000, (16 << 20) + 3, 100000, (33 << 20), 1 << 20};
    return sizes[(from * 3 + to + number) % (sizeof sizes / sizeof *sizes)];
}

static unsigned char byte_at(unsigned from, unsigned to, unsigned number, size_t at)
{
    return (unsigned char)(from * 31 + to * 7 + number * 3 + at + (at >> 16));
}

static struct fm_parcel write_content(unsigned from, unsigned to, unsigned number)
{
    size_t bytes = size_of(from, to, number);
    unsigned char *content = fm_resize(NULL, 0, bytes);
    for (size_t i = 0; i < bytes; ++i) {
        content[i] = byte_at(from, to, number, i);
    }
    return (struct fm_parcel){content, bytes};
}

/* Checks a content and frees it. */
static void read_content(struct fm_parcel parcel, unsigned from, unsigned to, unsigned number)
{
    const unsigned char *content = parcel.content;
    size_t wrong = 0;
    MUST(parcel.bytes == size_of(from, to, number));
    for (size_t i = 0; i < parcel.bytes; ++i) {
        wrong += content[i] != byte_at(from, to, number, i);
    }
    MUST(wrong == 0);
    fm_free(parcel.content);
}

static void check_exchange(struct fm_transport *transport, unsigned round)
{
    unsigned self = transport->self, count = transport->count;
    struct fm_parcel *sent = fm_allocate(count, sizeof *sent);
    struct fm_parcel *received = fm_allocate(count, sizeof *received);
    uint64_t *sizes = fm_allocate(2 * (size_t)count, sizeof *sizes);
    for (unsigned p = 0; p < count; ++p) {
        sent[p] = p == self ? (struct fm_parcel){NULL, 0} : write_content(self, p, round);
        sizes[p] = sent[p].bytes;
    }
    transport->calls->exchange_sizes(transport, sizes, sizes + count);
    for (unsigned p = 0; p < count; ++p) {
        received[p] = (struct fm_parcel){fm_resize(NULL, 0, sizes[count + p]), sizes[count + p]};
    }
    transport->calls->exchange(transport, sent, received);
    for (unsigned p = 0; p < count; ++p) {
        fm_free(sent[p].content);
        if (p != self) {
            read_content(received[p], p, self, round);
        } else {
            fm_free(received[p].content);
        }
    }
    fm_free(sent);
    fm_free(received);
    fm_free(sizes);
}

static void check_sum(struct fm_transport *transport)
{
    /* More than are added up at once. */
    const size_t count = ((size_t)1 << 20) + 5;
    uint64_t *values = fm_allocate(count, sizeof *values);
    uint64_t processes = transport->count;
    for (size_t i = 0; i < count; ++i) {
        values[i] = (UINT64_C(1) << 40) * transport->self + i;
    }
    transport->calls->sum(transport, values, count);
    for (size_t i = 0; i < count; ++i) {
        MUST(values[i] == (UINT64_C(1) << 40) * (processes * (processes - 1) / 2) + i * processes);
    }
    fm_free(values);
}

#define PACKETS 5

struct mail {
    struct fm_transport *transport;
    unsigned *expected; /* [from]: number of the next packet */
    uint64_t received;
};

static void receive_what_is_here(struct mail *mail)
{
    unsigned from;
    struct fm_parcel packet;
    while (mail->transport->calls->receive(mail->transport, &from, &packet)) {
        read_content(packet, from, mail->transport->self, mail->expected[from]++);
        ++mail->received;
    }
}

/* Packets arrive in order, while waves count those that have. */
static void check_packets(struct fm_transport *transport)
{
    struct mail mail = {transport, fm_allocate(transport->count, sizeof *mail.expected), 0};
    uint64_t sent = 0, sums[2] = {1, 0};
    for (unsigned number = 0; number < PACKETS; ++number) {
        for (unsigned to = 0; to < transport->count; ++to) {
            if (to != transport->self) {
                transport->calls->send(transport, to, write_content(transport->self, to, number));
                ++sent;
            }
        }
        receive_what_is_here(&mail);
    }
    unsigned waves = 0;
    while (sums[0] != sums[1]) {
        transport->calls->begin_wave(transport, (uint64_t[]){sent, mail.received});
        for (unsigned turn = 0; !transport->calls->end_wave(transport, sums); ++turn) {
            receive_what_is_here(&mail);
            fm_backoff(turn);
        }
        receive_what_is_here(&mail);
        ++waves;
    }
    MUST(sums[0] == (uint64_t)transport->count * (transport->count - 1) * PACKETS);
    MUST(mail.received == (uint64_t)(transport->count - 1) * PACKETS);
    fm_free(mail.expected);
}

int main(int argc, char **argv)
{
    struct fm_transport *transport;
    struct fm_error error;
    if (argc != 3) {
        fputs("usage: check_transport LIBRARY PROCESSES\n", stderr);
        return 2;
    }
    if (fm_transport_load(argv[1], &transport, &error) != FM_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    MUST(transport->count == strtoul(argv[2], NULL, 10));
    MUST(transport->self < transport->count);
    MUST(transport->neighbors == transport->count);
    for (unsigned round = 0; round < 3; ++round) {
        check_exchange(transport, round);
    }
    check_sum(transport);
    for (unsigned phase = 0; phase < 2; ++phase) {
        uint64_t ready = 1;
        check_packets(transport);
        transport->calls->sum(transport, &ready, 1);
        MUST(ready == transport->count);
    }
    bool first = transport->self == 0;
    transport->calls->close(transport);
    if (first) {
        puts("the transport keeps its promises");
    }
    return 0;
}
