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

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/** Packets in the order in which they were sent. */
struct fm_packet_list {
    struct fm_packet *first, *last;
};

/** The packets that other workers have sent to a worker. The stack is lock-free; the lock is for
 * sleeping only.
 *
 * Each worker has a thread, but its messages may be handled by another one: a thread that has
 * nothing left to do takes up the idle worker that it has last sent a packet to. Where workers wait
 * for each other in turn, one thread thus goes on with the chain, without waking another for each
 * link. */
struct fm_mailbox {
    fm_packet_stack packets;
    atomic_bool taken;  /**< a thread handles messages of the worker, and has its outbox */
    atomic_bool waits;  /**< the worker is idle: packets to it are not filled first */
    atomic_bool sleeps; /**< the worker's thread sleeps and must be woken */
    pthread_mutex_t lock;
    pthread_cond_t arrived;
    unsigned char apart[FM_APART];
};

/** The packets that a worker writes; only the thread that has taken it up accesses them. */
struct fm_outbox {
    struct fm_packet_list own; /**< to itself: read while further messages are written */
    struct fm_packet *spare;   /**< a list of packets for reuse */
    unsigned spare_count;
    struct fm_packet **packets; /**< [receiving worker]: not sent yet; NULL: none */
    unsigned last_receiver;   /**< of a packet; FM_NO_WORKER: none since the worker was taken up */
    uint64_t messages, bytes; /**< sent so far */
    unsigned char apart[FM_APART];
};

/** No worker. */
#define FM_NO_WORKER UINT_MAX

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
    atomic_size_t under_way; /**< packets in mailboxes, and workers that are taken; 0: quiescence */
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
 * processes. */
void fm_mailbox_team_flush(struct fm_mailbox_team *team, unsigned worker);

/** As fm_mailbox_team_flush(), unless another thread is in one of these calls. */
void fm_mailbox_team_work(struct fm_mailbox_team *team, unsigned worker);

/** Delivers the messages that have arrived from other processes, and takes part in termination
 * detection, unless another thread is in one of these calls.
 * @param polls  number of calls since the thread had a message to handle */
void fm_mailbox_team_poll(struct fm_mailbox_team *team, unsigned polls);

#endif
