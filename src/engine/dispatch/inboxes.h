/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Inboxes: a dispatch whose handler keeps the records of a stage for the next one, which reads all
 * records of a process at once, in an order that does not depend on the numbers of workers and team
 * processes. Records that can be handled one by one are sent through a plain dispatch, which needs
 * no memory for them.
 */
#ifndef FERMATA_ENGINE_DISPATCH_INBOXES_H
#define FERMATA_ENGINE_DISPATCH_INBOXES_H

#include "engine/engine.h"

struct fm_inboxes;

/** @param record_size  a multiple of 4
 * @return inboxes without records, to be freed with fm_inboxes_free() */
struct fm_inboxes *fm_inboxes_create(struct fm_engine *engine, size_t record_size);

/** NULL is allowed. */
void fm_inboxes_free(struct fm_inboxes *inboxes);

/** Sends a copy of a record to the inbox of `process`. A worker sends on behalf of its processes in
 * ascending order, so that inboxes do not depend on the distribution of work. Thread-safe for
 * distinct workers. */
void fm_inboxes_send(struct fm_inboxes *inboxes, unsigned worker, uint32_t process,
                     const void *record);

/** Moves all records that were sent into the inboxes, replacing their contents. To be called
 * between stages; collective over the team. */
void fm_inboxes_deliver(struct fm_inboxes *inboxes);

/** Empties the inboxes and frees their memory. To be called between stages. */
void fm_inboxes_clear(struct fm_inboxes *inboxes);

/** @return the records for `process`, which this process of the team owns, ordered by sending
 * process, then in the order of sending; in `*count` their number. Valid until the next delivery.
 * Thread-safe. */
const void *fm_inbox(const struct fm_inboxes *inboxes, uint32_t process, size_t *count);

#endif
