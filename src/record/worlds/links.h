/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Finds which connections of different worlds are the two sides of one. Each side knows only itself
 * (mpi/connections.c): what made it, the sizes of both groups, when its root was in the call, and a
 * detail such as a port. Two sides belong together only if nothing else is possible: a connection
 * is rather left out than guessed.
 */
#ifndef FERMATA_RECORD_WORLDS_LINKS_H
#define FERMATA_RECORD_WORLDS_LINKS_H

#include "record/archive/define.h"

/** One side of a connection. */
struct fm_link_side {
    uint32_t world;
    uint64_t number; /**< of the link in its world */
    enum fm_link how;
    const char *detail; /**< "": none */
    uint32_t group;     /**< definition of the local group, in the world's set */
    uint32_t rank;      /**< of the process that describes it, in its world */
    uint32_t size, remote_size;
    bool is_root;          /**< described by the root of the call */
    uint64_t enter, leave; /**< of that process's call, by one clock for all worlds */
    uint64_t error;        /**< that both times may have */
    uint32_t partner;      /**< out: the other side, an index; FM_DEFINE_NONE: not found */
    uint32_t pair;         /**< out: number of the connection, the same on both sides */
};

/** Whether two sides may belong together: by what made them, their sizes and details, and because
 * their calls were open at the same time. */
bool fm_links_may_be_one(const struct fm_link_side *a, const struct fm_link_side *b);

/** Finds the partners of the sides that roots have described: those that may belong to one side
 * only, and, once these are known, those that may belong to one of the rest. O(count^3) */
void fm_links_match(struct fm_link_side *sides, uint32_t count);

#endif
