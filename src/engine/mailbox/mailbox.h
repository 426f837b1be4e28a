/** @file
 * Mailboxes: stages driven by messages. The tables of a process are advanced as far as possible;
 * messages are sent, and the next message that arrives advances them further. No worker waits for a
 * particular message, so none is blocked. A stage ends when no message is under way and all workers
 * are idle (termination detection: a counter within a process, Mattern's four counters between
 * processes).
 */
#ifndef FERMATA_ENGINE_MAILBOX_MAILBOX_H
#define FERMATA_ENGINE_MAILBOX_MAILBOX_H

#include "engine/engine.h"

struct fm_mailboxes;

/** Begins the work of one worker's processes. */
typedef void fm_mailbox_start_t(void *context, struct fm_mailboxes *mailboxes, unsigned worker,
                                uint32_t first, uint32_t last);

/** Handles a message to `process`, on the worker that owns it. The message is valid during the call
 * only. */
typedef void fm_mailbox_handler_t(void *context, struct fm_mailboxes *mailboxes, unsigned worker,
                                  uint32_t process, const void *message, size_t size);

/** Runs a stage; collective over the team. Messages between two processes arrive in the order in
 * which they were sent; other orders are not defined: results must not depend on them. */
void fm_mailboxes_run(struct fm_engine *engine, fm_mailbox_start_t *start,
                      fm_mailbox_handler_t *handler, void *context);

/** Sends a copy of a message; to be called by the worker that runs the start or handler. */
void fm_mailbox_send(struct fm_mailboxes *mailboxes, unsigned worker, uint32_t process,
                     const void *message, size_t size);

#endif
