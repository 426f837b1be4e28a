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

/** Handles a record at the worker that owns `process`. The record is valid during the call. */
typedef void fm_stream_handler_t(void *owner, unsigned worker, uint32_t process,
                                 const void *record);

/** @param record_size  a multiple of 4
 * @param owner        handed to the handler
 * @return to be freed with fm_streams_free() */
struct fm_streams *fm_streams_create(unsigned workers, size_t record_size,
                                     fm_stream_handler_t *handler, void *owner);

void fm_streams_free(struct fm_streams *streams);

/** Makes room for a record for a process that another worker owns; now and then, handles what
 * others have sent to this worker. Records of a worker for the same receiver are handled in their
 * order. The handler must not post to the same streams.
 * @param worker  the caller
 * @return room for the record, aligned, to be filled before the next call */
void *fm_stream_post(struct fm_streams *streams, unsigned worker, unsigned receiver,
                     uint32_t process);

/** Hands over all that a worker has posted. @param worker  the caller */
void fm_stream_hand_over(struct fm_streams *streams, unsigned worker);

/** Handles all that was handed over to a worker. @return whether there was anything */
bool fm_stream_take(struct fm_streams *streams, unsigned worker);

#endif
