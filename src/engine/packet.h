/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Packets of messages or records, and lock-free stacks of them: any thread pushes, the owner takes
 * all packets at once. Private to src/engine.
 */
#ifndef FERMATA_ENGINE_PACKET_H
#define FERMATA_ENGINE_PACKET_H

#include <stdatomic.h>
#include <stddef.h>

struct fm_packet {
    struct fm_packet *next;
    size_t capacity;
    size_t written, read; /**< bytes */
    _Alignas(16) unsigned char content[];
};

/** The packet that was pushed last; NULL: the stack is empty. */
typedef _Atomic(struct fm_packet *) fm_packet_stack;

/** @return an empty packet with room for at least `bytes` bytes; freed with
 * fm_packets_free() or fm_free() */
struct fm_packet *fm_packet_create(size_t bytes);

/** Frees a packet and all packets behind it. */
void fm_packets_free(struct fm_packet *packets);

/** Any thread may push. Sequentially consistent, like fm_packets_take(): mailbox.c relies on it. */
void fm_packet_push(fm_packet_stack *stack, struct fm_packet *packet);

/** Takes all packets.
 * @param count  out: their number
 * @return the packets in the order in which they were pushed; NULL: none */
struct fm_packet *fm_packets_take(fm_packet_stack *stack, size_t *count);

#endif
