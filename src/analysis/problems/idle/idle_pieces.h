/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The time in which threads of a process are idle, in pieces by what its master does meanwhile.
 */
#ifndef FERMATA_ANALYSIS_PROBLEMS_IDLE_IDLE_PIECES_H
#define FERMATA_ANALYSIS_PROBLEMS_IDLE_IDLE_PIECES_H

#include "analysis/causes/formation.h"

/** A part of a master's time: it is in one node of its call tree, waits or does not, and the same
 * number of threads is idle. */
struct fm_idle_piece {
    uint64_t from, to;
    uint32_t node;    /**< of the master's call tree */
    uint32_t threads; /**< number of idle threads */
    bool is_limited;  /**< the master is in a team meanwhile */
    bool is_waiting;  /**< the master waits meanwhile */
};

/** Reads the pieces of a master in their order. */
struct fm_idle_reader {
    const struct fm_busy_time *busy_time;
    const struct fm_idle_span *spans;
    size_t count, next; /**< spans */
    uint64_t time;      /**< in the span `next`: it was read up to here */
    struct fm_busy_time_walk walk;
    uint32_t wait; /**< first wait state that has possibly not ended */
};

/** @return whether a location is a master while threads of its process are idle. */
static inline bool fm_idle_is_master(const struct fm_formation *formation, uint32_t location)
{
    return formation->analysis->findings[location].idle.count > 0;
}

/** Begins with the first piece. @param master  fm_idle_is_master() */
struct fm_idle_reader fm_idle_reader_open(const struct fm_formation *formation, uint32_t master);

/** Reads the next piece in which the master is in any node. @return false at the end */
bool fm_idle_read(struct fm_idle_reader *reader, struct fm_idle_piece *piece);

/** @return the idle time of all threads in a piece, ticks. */
static inline uint64_t fm_idle_ticks(const struct fm_idle_piece *piece)
{
    return piece->threads * (piece->to - piece->from);
}

#endif
