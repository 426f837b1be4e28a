/** @file
 * Phases driven by messages: a process does what it can, sends messages, and goes on when one
 * arrives. Nothing waits for a particular message, so nothing can block a worker; a phase ends when
 * no message is under way.
 */
#ifndef FERMATA_ENGINE_MAIL_H
#define FERMATA_ENGINE_MAIL_H

#include "engine/engine.h"

struct fm_mailboxes;

/** Begins the work of one worker's processes. */
typedef void fm_mailbox_start_t(void *context, struct fm_mailboxes *mailboxes, unsigned worker,
                                uint32_t first, uint32_t last);

/** Handles a message to `process`, on the worker that owns it. The message is valid during the call
 * only. */
typedef void fm_mailbox_handler_t(void *context, struct fm_mailboxes *mailboxes, unsigned worker,
                                  uint32_t process, const void *message, size_t size);

/** Runs a phase. Messages between two processes arrive in the order in which they were sent; other
 * orders are not defined: results must not depend on them. */
void fm_mailboxes_run(struct fm_engine *engine, fm_mailbox_start_t *start,
                      fm_mailbox_handler_t *handler, void *context);

/** Sends a copy of a message; to be called by the worker that runs the start or handler. */
void fm_mailbox_send(struct fm_mailboxes *mailboxes, unsigned worker, uint32_t process,
                     const void *message, size_t size);

#endif
