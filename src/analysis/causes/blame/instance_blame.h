/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What is blamed for most of each of the worst wait states. Private to this folder. */
#ifndef FERMATA_ANALYSIS_CAUSES_BLAME_INSTANCE_BLAME_H
#define FERMATA_ANALYSIS_CAUSES_BLAME_INSTANCE_BLAME_H

#include "analysis/causes/blame/blame.h"

#define FM_INSTANCE_FILTER 4096 /* a power of two */

/** One of the worst wait states. */
struct fm_blamed_instance {
    uint64_t until;
    uint32_t location;
    uint32_t statistics, number; /**< where it stands */
};

/** A part of one; its call path is not known at first. */
struct fm_instance_piece {
    uint64_t from, to;
    uint64_t until;
    uint32_t waiter;
    uint32_t location;
    uint32_t callpath; /**< FM_NONE: none */
    uint32_t is_sample;
    uint64_t at; /**< as in struct fm_blame_wait_piece */
};

typedef FM_VECTOR(struct fm_instance_piece) fm_instance_pieces;

/** Pieces that a worker has found. */
struct fm_found_pieces {
    fm_instance_pieces pieces; /* of any location */
    fm_instance_pieces own;    /* with call paths, of its own locations */
    unsigned char apart[FM_APART];
};

struct fm_instance_search {
    const struct fm_formation *formation;
    FM_VECTOR(struct fm_blamed_instance) instances; /**< ascending by (until, location) */
    bool may_be_wanted[FM_INSTANCE_FILTER]; /**< by `until`, modulo: whether there is an instance */
    struct fm_found_pieces *found;          /**< by worker */
    struct fm_dispatch *pieces;
};

void fm_instance_search_begin(struct fm_instance_search *search,
                              const struct fm_formation *formation, uint64_t begin,
                              const struct fm_cube_statistics *statistics, uint32_t count);

/** fm_instance_search_take() of a piece that may be of an instance. */
void fm_instance_search_look(struct fm_instance_search *search, unsigned worker,
                             const struct fm_blame_wait_piece *piece);

/** Takes a piece, of any wait state and without visit. */
static inline void fm_instance_search_take(struct fm_instance_search *search, unsigned worker,
                                           const struct fm_blame_wait_piece *piece)
{
    if (search->may_be_wanted[piece->until % FM_INSTANCE_FILTER]) {
        fm_instance_search_look(search, worker, piece);
    }
}

/** Writes the result to the statistics and frees the search. Runs a stage; collective. */
void fm_instance_search_end(struct fm_instance_search *search,
                            struct fm_cube_statistics *statistics);

#endif
