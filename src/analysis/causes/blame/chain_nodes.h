/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The forest of a window at an instant: locations and successions as its nodes, what each depends
 * on, and the sums at its roots. Private to chains.c and chain_nodes.c.
 */
#ifndef FERMATA_ANALYSIS_CAUSES_BLAME_CHAIN_NODES_H
#define FERMATA_ANALYSIS_CAUSES_BLAME_CHAIN_NODES_H

#include "analysis/causes/blame/blame_window.h"
#include "analysis/causes/blame/forest.h"
#include "base/containers/map.h"

#include <stdbool.h>

/** A node of the forest. */
struct fm_chain_node {
    uint64_t until;        /**< of the wait state of a location, as long as it waits */
    uint32_t location;     /**< FM_NONE: a succession */
    uint32_t wait;         /**< tie that it depends by; FM_NONE: it does not */
    uint32_t target;       /**< node that it depends on */
    uint32_t client;       /**< of a waiting location, that it is of a succession; FM_NONE */
    uint32_t detour;       /**< of a location: the first of its detours; FM_NONE: none */
    uint32_t held;         /**< of a location: the first succession that it is holder of */
    uint32_t next, before; /**< of a succession: others of the same holder */
    uint32_t line;         /**< of a succession: its table */
    bool is_suspended;     /**< on a circle */
};

/** Who depends on a succession: a wait state's weight, or a waiting location. */
struct fm_chain_client {
    uint64_t until;
    uint64_t weight;
    uint32_t location; /**< that waits */
    uint32_t node;     /**< of the waiting location; FM_NONE: a weight */
    uint32_t kind;     /**< index */
    uint32_t dead_end; /**< node, if the holder waits for longer, or there is none; FM_NONE: none */
    bool is_active;
};

/** The clients of a succession. */
struct fm_chain_line {
    FM_VECTOR(uint32_t) first_to_end; /**< heap of those that depend on the succession's node */
    FM_VECTOR(uint32_t) astray;       /**< that depend on a dead end */
    bool is_free;                     /**< nobody holds the lock: each depends on itself */
};

/** A window whose chains are followed. */
struct fm_chains {
    const struct fm_blame_window *window;
    const struct fm_blame_kinds *kinds;
    void (*blame)(void *context, const struct fm_blame_change *change);
    void *context;
    struct fm_forest forest;
    FM_VECTOR(struct fm_chain_node) nodes;
    uint32_t *node_of_location;
    uint32_t *dead_end_of_location; /**< NULL: none yet */
    uint32_t locations;
    struct fm_map node_of_succession;
    FM_VECTOR(struct fm_chain_line) lines;
    FM_VECTOR(struct fm_chain_client) clients;
    uint32_t *client_of_tie;
    uint32_t *next_detour; /**< [tie]; NULL: none yet */
    FM_VECTOR(uint32_t) suspended;
    FM_VECTOR(uint32_t) circle;
    FM_VECTOR(uint64_t) changes; /**< [node][kind] of roots, at the current time */
    FM_VECTOR(uint32_t) changed; /**< nodes, maybe more than once */
    uint64_t time;
    uint64_t *sums; /**< [kind] */
};

static inline struct fm_chain_node *fm_chains_node(const struct fm_chains *chains, uint32_t node)
{
    return &chains->nodes.items[node];
}

/** @return the node of a location. */
uint32_t fm_chains_location(struct fm_chains *chains, uint32_t location);

/** @return the node of a location as the end of chains that must not go on there: always a root. */
uint32_t fm_chains_dead_end(struct fm_chains *chains, uint32_t location);

/** @return the node of a succession. */
uint32_t fm_chains_succession(struct fm_chains *chains, uint64_t succession);

/** Adds to the weight that begins chains at a node. */
void fm_chains_add_weight(struct fm_chains *chains, uint32_t node, uint32_t kind, uint64_t change);

/** Makes a root depend on its target; opens circles. */
void fm_chains_tie(struct fm_chains *chains, uint32_t node);

/** Makes a node that depends on another one a root. */
void fm_chains_untie(struct fm_chains *chains, uint32_t node);

/** Changes the target of a node that depends on another one. */
void fm_chains_change_target(struct fm_chains *chains, uint32_t node, uint32_t target);

/** Ties suspended nodes anew, where their circles do not exist any more. */
void fm_chains_resume(struct fm_chains *chains);

/** Reports the changes of all roots at the current time. */
void fm_chains_report(struct fm_chains *chains);

#endif
