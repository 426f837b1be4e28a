/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The call forest of a report in depth-first order, for formats that write it nested.
 */
#ifndef FERMATA_EXPORT_CUBEX_CALL_TREE_H
#define FERMATA_EXPORT_CUBEX_CALL_TREE_H

#include "cube/model/cube.h"

/** Call paths in depth-first order, children in ascending order of their ids. */
struct fm_call_tree {
    uint32_t *order; /**< callpath_count ids; a parent stands directly before its first child */
    uint32_t *depth; /**< of order[i]; 0: a root */
    uint32_t count;
};

/** Builds the call tree of a cube.
 * @param tree  out: to be released with fm_call_tree_release() */
fm_status_t fm_call_tree_make(struct fm_call_tree *tree, const struct fm_cube *cube,
                              struct fm_error *error);

/** Frees the memory of a call tree. */
void fm_call_tree_release(struct fm_call_tree *tree);

#endif
