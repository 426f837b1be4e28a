/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A message in pieces, for a library that limits the size of one transfer (exchange.h).
 */
#ifndef FERMATA_RECORD_PARADIGM_EXCHANGE_MESSAGE_PIECES_H
#define FERMATA_RECORD_PARADIGM_EXCHANGE_MESSAGE_PIECES_H

#include <stdbool.h>
#include <stddef.h>

/** A message, and its current piece. Set `size` and `most`; the other members are 0 at first. */
struct fm_message_pieces {
    size_t size;  /**< of the message, bytes */
    size_t most;  /**< maximum size of a piece, bytes: > 0 */
    size_t at;    /**< offset of the current piece */
    size_t bytes; /**< size of the current piece */
    bool has_begun;
};

/** Moves to the first or next piece. All pieces but the last one have the maximum size; an empty
 * message is one empty piece, so that its receiver waits for it.
 * @return false: there is none */
static inline bool fm_message_pieces_next(struct fm_message_pieces *pieces)
{
    pieces->at += pieces->bytes;
    const size_t left = pieces->size - pieces->at;
    if (left == 0 && pieces->has_begun) {
        return false;
    }
    pieces->has_begun = true;
    pieces->bytes = left < pieces->most ? left : pieces->most;
    return true;
}

#endif
