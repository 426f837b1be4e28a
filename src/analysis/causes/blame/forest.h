/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A forest whose nodes have counts of several kinds: who depends on whom at an instant, and for how
 * many wait states each root is blamed.
 */
#ifndef FERMATA_ANALYSIS_CAUSES_BLAME_FOREST_H
#define FERMATA_ANALYSIS_CAUSES_BLAME_FOREST_H

#include "base/containers/vector.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FM_FOREST_NONE UINT32_MAX

/** A node as a link-cut tree keeps it; private to forest.c. */
struct fm_forest_node {
    uint32_t parent; /**< in the forest; of a link-cut tree: in the auxiliary tree or above it */
    uint32_t left, right;
};

/** Nodes are numbered from 0. `struct fm_forest f = {.kinds = n};` is an empty one. */
struct fm_forest {
    uint32_t kinds; /**< counts of a node */
    FM_VECTOR(struct fm_forest_node) nodes;
    FM_VECTOR(uint64_t) own; /**< [node][kind]: counts of the node itself */
    FM_VECTOR(uint64_t)
    whole;                      /**< [node][kind]: of its subtree; of a link-cut tree: of the
                                     auxiliary subtree and all that hangs below it */
    bool is_deep;               /**< it is a link-cut tree */
    uint64_t operations, steps; /**< how long the paths were so far */
};

/** Adds a node without parent and with no counts. @return its number */
uint32_t fm_forest_add_node(struct fm_forest *forest);

/** Removes all nodes and keeps the memory. */
void fm_forest_clear(struct fm_forest *forest);

void fm_forest_free(struct fm_forest *forest);

/** @return the root of a node's tree. */
uint32_t fm_forest_root(struct fm_forest *forest, uint32_t node);

/** @return the parent of a node; FM_FOREST_NONE: it is a root. */
uint32_t fm_forest_parent(struct fm_forest *forest, uint32_t node);

/** Makes a root the child of a node of another tree. */
void fm_forest_link(struct fm_forest *forest, uint32_t root, uint32_t parent);

/** Makes a child a root. */
void fm_forest_cut(struct fm_forest *forest, uint32_t child);

/** Adds to a count of a node; counts may be below zero in between. */
void fm_forest_count(struct fm_forest *forest, uint32_t node, uint32_t kind, uint64_t change);

/** @return [kind]: the sums of the counts of a root's tree. Valid until the next call. */
const uint64_t *fm_forest_sums(struct fm_forest *forest, uint32_t root);

#endif
