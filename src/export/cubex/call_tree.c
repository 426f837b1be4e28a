/* SPDX-License-Identifier: BSD-3-Clause */
#include "export/cubex/call_tree.h"

#include <stdlib.h>

/* Links the call paths as first child and next sibling, both ascending. The additional last entry
 * is a virtual root with all roots as children. */
static void link_children(const struct fm_cube *cube, uint32_t *first_child, uint32_t *next)
{
    uint32_t count = cube->callpath_count;
    for (uint32_t i = 0; i <= count; i++) {
        first_child[i] = FM_CUBE_NONE;
    }
    for (uint32_t i = count; i-- > 0;) {
        uint32_t parent = cube->callpaths[i].parent;
        uint32_t *list = &first_child[parent == FM_CUBE_NONE ? count : parent];
        next[i] = *list;
        *list = i;
    }
}

static void walk(struct fm_call_tree *tree, const struct fm_cube *cube, const uint32_t *first_child,
                 const uint32_t *next)
{
    uint32_t node = first_child[cube->callpath_count], depth = 0;
    while (node != FM_CUBE_NONE) {
        tree->order[tree->count] = node;
        tree->depth[tree->count++] = depth;
        if (first_child[node] != FM_CUBE_NONE) {
            node = first_child[node];
            depth++;
            continue;
        }
        while (next[node] == FM_CUBE_NONE && depth > 0) {
            node = cube->callpaths[node].parent;
            depth--;
        }
        node = next[node];
    }
}

fm_status_t fm_call_tree_make(struct fm_call_tree *tree, const struct fm_cube *cube,
                              struct fm_error *error)
{
    size_t count = cube->callpath_count + (size_t)1;
    *tree = (struct fm_call_tree){
        .order = calloc(count, sizeof *tree->order),
        .depth = calloc(count, sizeof *tree->depth),
    };
    uint32_t *first_child = calloc(count, sizeof *first_child);
    uint32_t *next = calloc(count, sizeof *next);
    fm_status_t status = FM_OK;
    if (tree->order == NULL || tree->depth == NULL || first_child == NULL || next == NULL) {
        fm_call_tree_release(tree);
        status = fm_fail(error, FM_ERR_SYSTEM, "out of memory for the call tree");
    } else {
        link_children(cube, first_child, next);
        walk(tree, cube, first_child, next);
    }
    free(first_child);
    free(next);
    return status;
}

void fm_call_tree_release(struct fm_call_tree *tree)
{
    free(tree->order);
    free(tree->depth);
    *tree = (struct fm_call_tree){0};
}
