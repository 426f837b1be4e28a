/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A wait-for graph: nodes that become free if all, or any, of their inputs are free. The least
 * fixed point: what never becomes free is stuck. An AND of nothing is free, an OR of nothing never
 * is.
 */
#ifndef FERMATA_ANALYSIS_HANG_WAIT_GRAPH_H
#define FERMATA_ANALYSIS_HANG_WAIT_GRAPH_H

#include "base/containers/vector.h"

#include <stdbool.h>
#include <stdint.h>

/** A node; private. */
struct fm_wait_node {
    uint32_t first_input; /**< in `links`; UINT32_MAX: none */
    uint32_t first_user;  /**< likewise */
    uint32_t needed;      /**< inputs that must become free until it is */
    bool is_any, is_free;
};

/** An input of a node; private. */
struct fm_wait_link {
    uint32_t node, input;
    uint32_t next_input, next_user; /**< links of the same node, and of the same input */
};

/** All zeros: empty. */
struct fm_wait_graph {
    FM_VECTOR(struct fm_wait_node) nodes;
    FM_VECTOR(struct fm_wait_link) links;
    FM_VECTOR(uint32_t) ready; /**< nodes that have become free, for their users to know */
};

/** Adds a node. @param is_any  any input is enough @return its number, from 0 on */
uint32_t fm_wait_graph_add(struct fm_wait_graph *graph, bool is_any);

/** Adds an input of a node. Inputs are kept in the reverse order. */
void fm_wait_graph_link(struct fm_wait_graph *graph, uint32_t node, uint32_t input);

/** Lets a node be free, whatever its inputs. */
void fm_wait_graph_release(struct fm_wait_graph *graph, uint32_t node);

/** Finds all nodes that are free. To be called once, after all links. O(nodes + links) */
void fm_wait_graph_solve(struct fm_wait_graph *graph);

static inline bool fm_wait_graph_is_free(const struct fm_wait_graph *graph, uint32_t node)
{
    return graph->nodes.items[node].is_free;
}

typedef FM_VECTOR(uint32_t) fm_wait_cycle;

/** Finds a cycle among the stuck nodes: the shortest one through the lowest node of some cycle.
 * Every cycle must contain one of the first `count` nodes.
 * @param count  the first nodes; only they are in the result
 * @param cycle  out: nodes below `count`, the lowest first, each an input of the one before it,
 * maybe by way of other nodes; empty: there is none. O(nodes + links) */
void fm_wait_graph_cycle(const struct fm_wait_graph *graph, uint32_t count, fm_wait_cycle *cycle);

void fm_wait_graph_free(struct fm_wait_graph *graph);

#endif
