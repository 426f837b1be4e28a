/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The part of the critical path on which a lock serializes the run: there the path's location holds
 * a lock for which the next location on the path waited, or for which it waited itself. */
#ifndef FERMATA_ANALYSIS_CAUSES_BLAME_SERIALIZATION_H
#define FERMATA_ANALYSIS_CAUSES_BLAME_SERIALIZATION_H

#include "analysis/causes/formation.h"
#include "base/containers/vector.h"

/** A location holds a lock at whose begin or end the path changes location. */
struct fm_path_hold {
    uint64_t from, to; /**< ticks of the trace's clock */
    uint32_t location;
    uint32_t unused;
};

typedef FM_VECTOR(struct fm_path_hold) fm_path_holds;

/** The path moves from a location that waited for a lock to the location that it waited for. */
struct fm_path_move {
    uint64_t until; /**< end of the wait state */
    uint32_t waiter, cause;
};

typedef FM_VECTOR(struct fm_path_move) fm_path_moves;

/** Notes a move of the path, if it was a lock that the location waited for. */
void fm_path_moves_note(fm_path_moves *moves, uint32_t location, const struct fm_wait *wait);

/** Finds the holds at the moves that the processes of the team have noted. All get all of them:
 * ascending by location and time, those of a location joined so that they do not overlap.
 * Collective. */
void fm_path_holds_find(const struct fm_analysis *analysis, const fm_path_moves *moves,
                        fm_path_holds *holds);

/** @return the number of the first hold of a location that ends behind a time; that of another
 * location, or `holds->count`, if there is none. */
size_t fm_path_holds_behind(const fm_path_holds *holds, uint32_t location, uint64_t time);

#endif
