/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Mailboxes: stages driven by messages. A worker computes for its processes as far as the available
 * data allow, and sends messages; each message that arrives lets it compute further. No worker
 * waits for a particular message, so that none is blocked. A stage ends with quiescence: no message
 * is in transit and all workers are idle (termination detection: a counter within a process,
 * Mattern's four-counter method between processes).
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

/** Runs a stage; collective over the team. Messages from one process to another are handled in the
 * order in which they were sent. Other orders are undefined: results must not depend on them. */
void fm_mailboxes_run(struct fm_engine *engine, fm_mailbox_start_t *start,
                      fm_mailbox_handler_t *handler, void *context);

/** Sends a copy of a message to `process`. To be called by start and handler, on their worker. */
void fm_mailbox_send(struct fm_mailboxes *mailboxes, unsigned worker, uint32_t process,
                     const void *message, size_t size);

#endif
