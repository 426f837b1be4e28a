/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Channels: records from one worker to another worker of the same process, handed over in packets
 * while both continue their stage. The receiver handles records that are still in cache, and few
 * packets are in use at a time. Private to src/engine/dispatch.
 */
#ifndef FERMATA_ENGINE_DISPATCH_CHANNELS_H
#define FERMATA_ENGINE_DISPATCH_CHANNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A channel from each worker to each worker. */
struct fm_channels;

/** Handles a record at the worker that owns `process`. The record is valid during the call only. */
typedef void fm_channel_handler_t(void *owner, unsigned worker, uint32_t process,
                                  const void *record);

/** @param record_size  a multiple of 4
 * @param owner        passed to the handler
 * @return to be freed with fm_channels_free() */
struct fm_channels *fm_channels_create(unsigned workers, size_t record_size,
                                       fm_channel_handler_t *handler, void *owner);

/** NULL is allowed. */
void fm_channels_free(struct fm_channels *channels);

/** Makes room for a record for a process that another worker owns. When a packet is full, it is
 * handed over, and the packets that have arrived at `worker` are handled. Records from one worker
 * to one receiver are handled in the order of posting. The handler must not post to the same
 * channels.
 * @param worker  the caller
 * @return room for the record, aligned to 8 bytes, to be filled before the next call */
void *fm_channel_post(struct fm_channels *channels, unsigned worker, unsigned receiver,
                      uint32_t process);

/** Hands over all records that a worker has posted. @param worker  the caller */
void fm_channel_hand_over(struct fm_channels *channels, unsigned worker);

/** Handles all records that were handed over to a worker. @return whether there were any */
bool fm_channel_take(struct fm_channels *channels, unsigned worker);

#endif
