/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Draws a tree with values: branches in descending order of value, small branches folded.
 */
#ifndef FERMATA_REPORT_TREE_DRAWING_H
#define FERMATA_REPORT_TREE_DRAWING_H

#include "cube/model/cube.h"
#include "report/terminal.h"

#include <stdbool.h>

struct fm_tree {
    uint32_t count;           /**< number of nodes; parents precede their children */
    const uint32_t *parents;  /**< FM_CUBE_NONE: a root */
    const int64_t *exclusive; /**< value of the node alone */
    const int64_t *inclusive; /**< value of the node and its descendants */
    const int64_t *wholes;    /**< for each node: the value of 100 % */
    const int64_t *smallest;  /**< for each node: folded below this inclusive value */
    const fm_unit_t *units;   /**< for each node */
    const char *const *names; /**< names as in the trace */
    const bool *marked;       /**< highlighted nodes; NULL: none */
};

struct fm_tree_options {
    bool exclusive; /**< expanded nodes show their exclusive value; folded ones the inclusive one */
    bool keep_roots; /**< roots keep their order and are never folded (units differ) */
    unsigned top;    /**< maximum number of children drawn of each node; one line for the rest */
};

/** Draws the tree; nodes whose inclusive value is 0 are not drawn. A '+' marks a node whose
 * children are all folded. */
void fm_tree_draw(const struct fm_tree *tree, const struct fm_tree_options *options,
                  const struct fm_cube *cube, const struct fm_terminal *terminal);

#endif
