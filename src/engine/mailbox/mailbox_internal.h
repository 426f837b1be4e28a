/** @file
 * Private to src/engine: a phase driven by messages, and its part in other processes of the team.
 */
#ifndef FERMATA_ENGINE_MAIL_INTERNAL_H
#define FERMATA_ENGINE_MAIL_INTERNAL_H

#include "engine/engine_internal.h"
#include "engine/mailbox/mailbox.h"
#include "engine/packet.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/** Letters in the order in which they were sent. */
struct fm_packet_list {
    struct fm_packet *first, *last;
};

/** What others have sent to a worker. Packets are put in, and all of them taken out, without a
 * lock; the lock is for sleeping only. */
struct fm_mailbox {
    fm_packet_stack packets;
    atomic_bool waits;  /**< the worker has nothing to do */
    atomic_bool sleeps; /**< and must be woken */
    pthread_mutex_t lock;
    pthread_cond_t arrived;
    unsigned char apart[FM_APART];
};

/** What a worker has written; touched by no other worker. */
struct fm_outbox {
    struct fm_packet_list own; /**< to itself: read while it is written */
    struct fm_packet *spare;   /**< a list: read, and free for use */
    unsigned spare_count;
    struct fm_packet **packets; /**< [worker]: not sent yet; NULL: none */
    uint64_t messages, bytes;   /**< that were sent */
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
    struct fm_mailbox_team *team; /**< NULL: a process alone */
    unsigned char apart[FM_APART];
    atomic_size_t under_way; /**< packets in boxes, and workers that are at work */
    atomic_bool over;        /**< no letter will come any more */
    unsigned char apart_too[FM_APART];
};

/** Writes a message to a worker of this process into `*packet`; it is made if it is NULL, and
 * delivered before if it is full. */
void fm_mailbox_put(struct fm_mailboxes *mailboxes, struct fm_packet **packet, unsigned worker,
                    uint32_t process, const void *message, size_t size);

/** Puts `*packet` into the box of a worker of this process, and leaves NULL there. */
void fm_mailbox_deliver(struct fm_mailboxes *mailboxes, struct fm_packet **packet, unsigned worker);

/** Ends the phase: wakes all workers. */
void fm_mailbox_end(struct fm_mailboxes *mailboxes);

/** @return the part of a phase that talks to other processes; NULL for a process alone. */
struct fm_mailbox_team *fm_mailbox_team_create(struct fm_mailboxes *mailboxes);

/** Ends it; waits for all of the team. */
void fm_mailbox_team_free(struct fm_mailbox_team *team);

/** Sends a message to a process that another process of the team owns, sooner or later. */
void fm_mailbox_team_send(struct fm_mailbox_team *team, unsigned worker, uint32_t process,
                          const void *message, size_t size);

/** Sends what a worker has kept back, and takes what has come, unless another worker does so right
 * now. Ends the phase if all of the team are idle.
 * @param idle  how often it was called since the worker had a letter; 0: it has another one */
void fm_mailbox_team_work(struct fm_mailbox_team *team, unsigned worker, unsigned idle);

#endif
