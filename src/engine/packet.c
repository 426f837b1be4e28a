/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/packet.h"

#include "base/memory.h"

#define PACKET_BYTES ((size_t)32 << 10)

struct fm_packet *fm_packet_create(size_t bytes)
{
    size_t capacity = bytes > PACKET_BYTES ? bytes : PACKET_BYTES;
    struct fm_packet *packet = fm_resize(NULL, 0, sizeof *packet + capacity);
    packet->next = NULL;
    packet->capacity = capacity;
    packet->written = packet->read = 0;
    return packet;
}

void fm_packets_free(struct fm_packet *packets)
{
    while (packets != NULL) {
        struct fm_packet *next = packets->next;
        fm_free(packets);
        packets = next;
    }
}

void fm_packet_push(fm_packet_stack *stack, struct fm_packet *packet)
{
    packet->next = atomic_load_explicit(stack, memory_order_relaxed);
    while (!atomic_compare_exchange_weak(stack, &packet->next, packet)) {
    }
}

struct fm_packet *fm_packets_take(fm_packet_stack *stack, size_t *count)
{
    struct fm_packet *last = atomic_exchange(stack, NULL), *first = NULL;
    for (*count = 0; last != NULL; ++*count) {
        struct fm_packet *next = last->next;
        last->next = first;
        first = last;
        last = next;
    }
    return first;
}
