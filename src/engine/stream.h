/** @file
 * Records from one worker to another of the same process, handed over in packets while both go on
 * with a phase: they are handled while they are in the processor's cache, and few packets are
 * enough. Private to src/engine.
 */
#ifndef FERMATA_ENGINE_STREAM_H
#define FERMATA_ENGINE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** From each worker to each other one. */
struct fm_streams;

/** Handles a record with its items at the worker that owns `process`. */
typedef void fm_stream_handler_t(void *owner, unsigned worker, uint32_t process, const void *record,
                                 const void *items, uint32_t count);

/** Records that were handed to the handler are gone after this call. */
typedef void fm_stream_release_t(void *owner, unsigned worker);

/** @param record_size, item_size  multiples of 4
 * @param release  NULL: the handler keeps no pointers
 * @param owner    handed to both
 * @return to be freed with fm_streams_free() */
struct fm_streams *fm_streams_create(unsigned workers, size_t record_size, size_t item_size,
                                     fm_stream_handler_t *handler, fm_stream_release_t *release,
                                     void *owner);

void fm_streams_free(struct fm_streams *streams);

/** Copies a record for a process that another worker owns; now and then, handles what others have
 * sent to this worker. Records of a worker for the same receiver are handled in their order. The
 * handler must not post to the same streams.
 * @param worker  the caller */
void fm_stream_post(struct fm_streams *streams, unsigned worker, unsigned receiver,
                    uint32_t process, const void *record, const void *items, uint32_t count);

/** Hands over all that a worker has posted. @param worker  the caller */
void fm_stream_hand_over(struct fm_streams *streams, unsigned worker);

/** Handles all that was handed over to a worker. @return whether there was anything */
bool fm_stream_take(struct fm_streams *streams, unsigned worker);

#endif
