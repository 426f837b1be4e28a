/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The computation of a location in pieces: stretches in one node of the call tree, outside of all
 * calls of communication libraries. */
#ifndef FERMATA_WHATIF_CHANGES_PIECES_H
#define FERMATA_WHATIF_CHANGES_PIECES_H

#include "trace/tables/trace.h"

/** A piece. */
struct fm_piece {
    uint64_t begin, end; /**< begin < end */
    uint32_t visit;      /**< node of the location's call tree */
    uint64_t run; /**< number, from 0 on, of the uninterrupted stay in wanted nodes: a visit of the
                       node above them */
};

/** What a walk does with the pieces of a node. */
enum fm_piece_wish {
    FM_PIECE_APART,  /**< a stay in wanted nodes ends here */
    FM_PIECE_WANTED, /**< finds them */
    FM_PIECE_PASSED  /**< passes over them: the stay goes on */
};

/** A walk over the pieces in the wanted nodes. */
struct fm_pieces {
    const struct fm_trace *trace;
    const struct fm_location *location;
    const uint8_t *wanted; /**< [node of the call tree] enum fm_piece_wish */
    size_t state;          /**< change of state that began the current node */
    uint32_t activity;     /**< first call that may be behind `time` */
    uint64_t time;         /**< up to which the current node is handled */
    uint64_t runs;         /**< stays so far */
    bool is_inside;        /**< the last one goes on */
};

/** Begins a walk.
 * @param wanted  [node of the location's call tree] enum fm_piece_wish */
void fm_pieces_begin(struct fm_pieces *pieces, const struct fm_trace *trace, uint32_t location,
                     const uint8_t *wanted);

/** Finds the next piece. @return whether there is one */
bool fm_pieces_next(struct fm_pieces *pieces, struct fm_piece *piece);

#endif
