/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Private to src/engine/mailbox: a stage driven by messages, and its messages to other processes of
 * the team.
 */
#ifndef FERMATA_ENGINE_MAILBOX_MAILBOX_INTERNAL_H
#define FERMATA_ENGINE_MAILBOX_MAILBOX_INTERNAL_H

#include "engine/engine_internal.h"
#include "engine/mailbox/mailbox.h"
#include "engine/packet.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/** Packets in the order in which they were sent. */
struct fm_packet_list {
    struct fm_packet *first, *last;
};

/** The packets that other workers have sent to a worker. The stack is lock-free; the lock is for
 * sleeping only. */
struct fm_mailbox {
    fm_packet_stack packets;
    atomic_bool waits;  /**< the worker is idle */
    atomic_bool sleeps; /**< the worker sleeps and must be woken */
    pthread_mutex_t lock;
    pthread_cond_t arrived;
    unsigned char apart[FM_APART];
};

/** The packets that a worker writes; no other worker accesses them. */
struct fm_outbox {
    struct fm_packet_list own; /**< to itself: read while further messages are written */
    struct fm_packet *spare;   /**< a list of packets for reuse */
    unsigned spare_count;
    struct fm_packet **packets; /**< [receiving worker]: not sent yet; NULL: none */
    uint64_t messages, bytes;   /**< sent so far */
    unsigned char apart[FM_APART];
};

struct fm_mailbox_team;

struct fm_mailboxes {
    struct fm_engine *engine;
    fm_mailbox_start_t *start;
    fm_mailbox_handler_t *handler;
    void *context;
    struct fm_mailbox *boxes;     /**< by worker */
    struct fm_outbox *outboxes;   /**< by worker */
    struct fm_mailbox_team *team; /**< NULL: the team has one process */
    unsigned char apart[FM_APART];
    atomic_size_t under_way; /**< packets in mailboxes, and busy workers; 0: quiescence */
    atomic_bool over;        /**< the stage has terminated */
    unsigned char apart_too[FM_APART];
};

/** Writes a message to a worker of this process into `*packet`. A full packet is delivered first
 * and, like NULL, replaced by a new packet. */
void fm_mailbox_put(struct fm_mailboxes *mailboxes, struct fm_packet **packet, unsigned worker,
                    uint32_t process, const void *message, size_t size);

/** Puts `*packet` into the mailbox of a worker of this process, and sets `*packet` to NULL. */
void fm_mailbox_deliver(struct fm_mailboxes *mailboxes, struct fm_packet **packet, unsigned worker);

/** Ends the stage: wakes all workers. */
void fm_mailbox_end(struct fm_mailboxes *mailboxes);

/** @return the exchange of messages with other processes; NULL: the team has one process */
struct fm_mailbox_team *fm_mailbox_team_create(struct fm_mailboxes *mailboxes);

/** Frees the exchange; waits for all processes of the team. NULL is allowed. */
void fm_mailbox_team_free(struct fm_mailbox_team *team);

/** Sends a message to a process that another process of the team owns. The message may be kept back
 * until the worker is idle. */
void fm_mailbox_team_send(struct fm_mailbox_team *team, unsigned worker, uint32_t process,
                          const void *message, size_t size);

/** Sends the messages that a worker has kept back, and delivers those that have arrived from other
 * processes, unless another worker is in this call. Takes part in termination detection if the
 * worker is idle.
 * @param idle  number of calls since the worker's last message; 0: the worker is not idle. The
 *              call with 1 waits for another worker that is in this call. */
void fm_mailbox_team_work(struct fm_mailbox_team *team, unsigned worker, unsigned idle);

#endif
