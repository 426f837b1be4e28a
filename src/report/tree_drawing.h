/** @file
 * Draws a tree with values: the most expensive branches first, what is too small folded away.
 */
#ifndef FERMATA_REPORT_TREE_DRAWING_H
#define FERMATA_REPORT_TREE_DRAWING_H

#include "cube/model/cube.h"
#include "report/terminal.h"

#include <stdbool.h>

struct fm_tree {
    uint32_t count;           /**< nodes; parents precede their children */
    const uint32_t *parents;  /**< FM_CUBE_NONE: a root */
    const int64_t *exclusive; /**< value of the node alone */
    const int64_t *inclusive; /**< with everything below */
    const int64_t *wholes;    /**< for each node: what is 100% */
    const int64_t *smallest;  /**< for each node: below this inclusive value it is folded away */
    const fm_unit_t *units;   /**< for each node */
    const char *const *names; /**< raw names */
    const bool *marked;       /**< nodes to stand out; NULL: none */
};

struct fm_tree_options {
    bool exclusive; /**< expanded nodes show their exclusive value; folded ones the inclusive one */
    bool keep_roots; /**< roots stay in their order and are never folded away (units differ) */
    unsigned top;    /**< children drawn of each node; the rest becomes one line */
};

/** Draws the tree; nodes whose inclusive value is 0 do not appear. A '+' marks a node whose
 * children are all folded away. */
void fm_tree_draw(const struct fm_tree *tree, const struct fm_tree_options *options,
                  const struct fm_cube *cube, const struct fm_terminal *terminal);

#endif
