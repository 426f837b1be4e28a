/* SPDX-License-Identifier: BSD-3-Clause */
/* Two representations of the same forest. Mostly its trees are low: then each node has its parent
 * and the sums of its subtree, and an operation walks up the path to the root. Where long chains
 * of wait states (a wavefront, a long queue) make the paths long, the forest becomes a link-cut
 * tree [D. Sleator, R. Tarjan, A data structure for dynamic trees, 1983; splay trees as auxiliary
 * trees: Self-adjusting binary search trees, 1985], of which each operation takes O(log n)
 * amortized time. An auxiliary tree holds a path in the order from the root downward; the sums of
 * what hangs at the path beside it are kept in the counts of the nodes where it hangs. */
#include "analysis/causes/blame/forest.h"

#include <string.h>

#define NONE FM_FOREST_NONE

/* Paths are long if the mean of so many operations at least is so many nodes. */
#define OPERATIONS 1024
#define LONG_PATH  24

static struct fm_forest_node *at(const struct fm_forest *forest, uint32_t node)
{
    return &forest->nodes.items[node];
}

static uint64_t *own(const struct fm_forest *forest, uint32_t node)
{
    return forest->own.items + (size_t)node * forest->kinds;
}

static uint64_t *whole(const struct fm_forest *forest, uint32_t node)
{
    return forest->whole.items + (size_t)node * forest->kinds;
}

static void add(const struct fm_forest *forest, uint64_t *to, const uint64_t *what)
{
    for (uint32_t k = 0; k < forest->kinds; k++) {
        to[k] += what[k];
    }
}

static void subtract(const struct fm_forest *forest, uint64_t *from, const uint64_t *what)
{
    for (uint32_t k = 0; k < forest->kinds; k++) {
        from[k] -= what[k];
    }
}

uint32_t fm_forest_add_node(struct fm_forest *forest)
{
    fm_vector_push(&forest->nodes, (struct fm_forest_node){NONE, NONE, NONE});
    fm_vector_reserve(&forest->own, forest->kinds);
    fm_vector_reserve(&forest->whole, forest->kinds);
    memset(forest->own.items + forest->own.count, 0, forest->kinds * sizeof *forest->own.items);
    memset(forest->whole.items + forest->whole.count, 0,
           forest->kinds * sizeof *forest->whole.items);
    forest->own.count += forest->kinds;
    forest->whole.count += forest->kinds;
    return (uint32_t)forest->nodes.count - 1;
}

void fm_forest_clear(struct fm_forest *forest)
{
    forest->nodes.count = forest->own.count = forest->whole.count = 0;
    forest->is_deep = false;
    forest->operations = forest->steps = 0;
}

void fm_forest_free(struct fm_forest *forest)
{
    fm_vector_free(&forest->nodes);
    fm_vector_free(&forest->own);
    fm_vector_free(&forest->whole);
}

/* ---- the link-cut tree ---- */

static bool is_top(const struct fm_forest *forest, uint32_t node)
{
    uint32_t parent = at(forest, node)->parent;
    return parent == NONE ||
           (at(forest, parent)->left != node && at(forest, parent)->right != node);
}

/* Sets the sums of a node of an auxiliary tree from those of its children there. `own` contains
 * what hangs below the node beside the path. */
static void sum_up(const struct fm_forest *forest, uint32_t node)
{
    const struct fm_forest_node *n = at(forest, node);
    uint64_t *sums = whole(forest, node);
    memcpy(sums, own(forest, node), forest->kinds * sizeof *sums);
    if (n->left != NONE) {
        add(forest, sums, whole(forest, n->left));
    }
    if (n->right != NONE) {
        add(forest, sums, whole(forest, n->right));
    }
}

static void rotate(const struct fm_forest *forest, uint32_t node)
{
    struct fm_forest_node *n = at(forest, node);
    uint32_t above = n->parent, top = at(forest, above)->parent;
    struct fm_forest_node *a = at(forest, above);
    if (!is_top(forest, above)) {
        struct fm_forest_node *t = at(forest, top);
        *(t->left == above ? &t->left : &t->right) = node;
    }
    uint32_t moved;
    if (a->left == node) {
        moved = n->right;
        n->right = above;
        a->left = moved;
    } else {
        moved = n->left;
        n->left = above;
        a->right = moved;
    }
    if (moved != NONE) {
        at(forest, moved)->parent = above;
    }
    a->parent = node;
    n->parent = top;
    sum_up(forest, above);
}

static void splay(const struct fm_forest *forest, uint32_t node)
{
    while (!is_top(forest, node)) {
        uint32_t above = at(forest, node)->parent;
        if (!is_top(forest, above)) {
            uint32_t top = at(forest, above)->parent;
            bool same_side = (at(forest, top)->left == above) == (at(forest, above)->left == node);
            rotate(forest, same_side ? above : node);
        }
        rotate(forest, node);
    }
    sum_up(forest, node);
}

/* Makes the path from the root to a node an auxiliary tree with the node on top: nothing is to its
 * right, `whole` is the sum of the whole tree and `own` that of its subtree. */
static void expose(const struct fm_forest *forest, uint32_t node)
{
    for (uint32_t last = NONE, n = node; n != NONE; last = n, n = at(forest, n)->parent) {
        splay(forest, n);
        struct fm_forest_node *top = at(forest, n);
        if (top->right != NONE) {
            add(forest, own(forest, n), whole(forest, top->right));
        }
        top->right = last;
        if (last != NONE) {
            subtract(forest, own(forest, n), whole(forest, last));
        }
        sum_up(forest, n);
    }
    splay(forest, node);
}

static uint32_t first_of_path(const struct fm_forest *forest, uint32_t node)
{
    expose(forest, node);
    uint32_t first = node;
    while (at(forest, first)->left != NONE) {
        first = at(forest, first)->left;
    }
    splay(forest, first);
    return first;
}

/* From parents and sums of subtrees to a link-cut tree in which each path has one node. */
static void make_deep(struct fm_forest *forest)
{
    for (size_t n = 0; n < forest->nodes.count; n++) {
        memcpy(own(forest, (uint32_t)n), whole(forest, (uint32_t)n),
               forest->kinds * sizeof *forest->own.items);
    }
    forest->is_deep = true;
}

static void note_path(struct fm_forest *forest, uint64_t steps)
{
    forest->operations++;
    forest->steps += steps;
    if (forest->operations >= OPERATIONS) {
        if (forest->steps > forest->operations * LONG_PATH) {
            make_deep(forest);
        }
        forest->operations = forest->steps = 0;
    }
}

/* ---- the forest ---- */

uint32_t fm_forest_root(struct fm_forest *forest, uint32_t node)
{
    if (forest->is_deep) {
        return first_of_path(forest, node);
    }
    uint64_t steps = 0;
    uint32_t root = node;
    for (uint32_t parent = at(forest, node)->parent; parent != NONE;
         parent = at(forest, parent)->parent) {
        root = parent;
        steps++;
    }
    note_path(forest, steps);
    return root;
}

uint32_t fm_forest_parent(struct fm_forest *forest, uint32_t node)
{
    if (!forest->is_deep) {
        return at(forest, node)->parent;
    }
    expose(forest, node);
    uint32_t last = at(forest, node)->left;
    if (last == NONE) {
        return NONE;
    }
    while (at(forest, last)->right != NONE) {
        last = at(forest, last)->right;
    }
    splay(forest, last);
    return last;
}

void fm_forest_link(struct fm_forest *forest, uint32_t root, uint32_t parent)
{
    if (forest->is_deep) {
        expose(forest, root);
        expose(forest, parent);
        at(forest, root)->parent = parent;
        add(forest, own(forest, parent), whole(forest, root));
        sum_up(forest, parent);
        return;
    }
    const uint64_t *sums = whole(forest, root);
    at(forest, root)->parent = parent;
    for (uint32_t n = parent; n != NONE; n = at(forest, n)->parent) {
        add(forest, whole(forest, n), sums);
    }
}

void fm_forest_cut(struct fm_forest *forest, uint32_t child)
{
    if (forest->is_deep) {
        expose(forest, child);
        struct fm_forest_node *c = at(forest, child);
        at(forest, c->left)->parent = NONE;
        c->left = NONE;
        sum_up(forest, child);
        return;
    }
    const uint64_t *sums = whole(forest, child);
    for (uint32_t n = at(forest, child)->parent; n != NONE; n = at(forest, n)->parent) {
        subtract(forest, whole(forest, n), sums);
    }
    at(forest, child)->parent = NONE;
}

void fm_forest_count(struct fm_forest *forest, uint32_t node, uint32_t kind, uint64_t change)
{
    if (forest->is_deep) {
        expose(forest, node);
        own(forest, node)[kind] += change;
        whole(forest, node)[kind] += change;
        return;
    }
    for (uint32_t n = node; n != NONE; n = at(forest, n)->parent) {
        whole(forest, n)[kind] += change;
    }
}

const uint64_t *fm_forest_sums(struct fm_forest *forest, uint32_t root)
{
    if (forest->is_deep) {
        expose(forest, root);
    }
    return whole(forest, root);
}
