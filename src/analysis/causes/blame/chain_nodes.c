/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/causes/blame/chain_nodes.h"

#include "trace/tables/trace.h"

#include <string.h>

/* ---- nodes ---- */

static uint32_t add_node(struct fm_chains *chains, uint32_t location)
{
    fm_vector_push(&chains->nodes, (struct fm_chain_node){.location = location,
                                                          .wait = FM_NONE,
                                                          .client = FM_NONE,
                                                          .detour = FM_NONE,
                                                          .held = FM_NONE,
                                                          .next = FM_NONE,
                                                          .before = FM_NONE,
                                                          .line = FM_NONE});
    fm_vector_reserve(&chains->changes, chains->kinds->count);
    memset(chains->changes.items + chains->changes.count, 0,
           chains->kinds->count * sizeof *chains->changes.items);
    chains->changes.count += chains->kinds->count;
    return fm_forest_add_node(&chains->forest);
}

uint32_t fm_chains_location(struct fm_chains *chains, uint32_t location)
{
    uint32_t *node = &chains->node_of_location[location];
    if (*node == FM_NONE) {
        *node = add_node(chains, location);
    }
    return *node;
}

uint32_t fm_chains_dead_end(struct fm_chains *chains, uint32_t location)
{
    if (chains->dead_end_of_location == NULL) {
        chains->dead_end_of_location =
            fm_resize(NULL, 0, chains->locations * sizeof *chains->dead_end_of_location);
        memset(chains->dead_end_of_location, 0xff,
               chains->locations * sizeof *chains->dead_end_of_location);
    }
    uint32_t *node = &chains->dead_end_of_location[location];
    if (*node == FM_NONE) {
        *node = add_node(chains, location);
    }
    return *node;
}

uint32_t fm_chains_succession(struct fm_chains *chains, uint64_t succession)
{
    uint32_t next = (uint32_t)chains->nodes.count;
    uint32_t node = *fm_map_at(&chains->node_of_succession, succession, next);
    if (node == next) {
        add_node(chains, FM_NONE);
        fm_chains_node(chains, node)->line = (uint32_t)chains->lines.count;
        fm_vector_push(&chains->lines, (struct fm_chain_line){0});
    }
    return node;
}

/* ---- what roots are blamed for ---- */

static uint64_t *changes_of(struct fm_chains *chains, uint32_t node)
{
    fm_vector_push(&chains->changed, node);
    return chains->changes.items + (size_t)node * chains->kinds->count;
}

static void change_root(struct fm_chains *chains, uint32_t root, uint32_t kind, uint64_t change)
{
    changes_of(chains, root)[kind] += change;
}

/* Moves the sums of a subtree, in `chains->sums`, from one root to another. */
static void move_sums(struct fm_chains *chains, uint32_t from, uint32_t to)
{
    const uint32_t kinds = chains->kinds->count;
    bool any = false;
    for (uint32_t k = 0; k < kinds; k++) {
        any |= chains->sums[k] != 0;
    }
    if (!any) {
        return;
    }
    uint64_t *less = changes_of(chains, from);
    for (uint32_t k = 0; k < kinds; k++) {
        less[k] -= chains->sums[k];
    }
    uint64_t *more = changes_of(chains, to);
    for (uint32_t k = 0; k < kinds; k++) {
        more[k] += chains->sums[k];
    }
}

static void keep_sums(struct fm_chains *chains, uint32_t root)
{
    memcpy(chains->sums, fm_forest_sums(&chains->forest, root),
           chains->kinds->count * sizeof *chains->sums);
}

void fm_chains_report(struct fm_chains *chains)
{
    const uint32_t kinds = chains->kinds->count;
    for (size_t i = 0; i < chains->changed.count; i++) {
        uint32_t node = chains->changed.items[i];
        uint64_t *changes = chains->changes.items + (size_t)node * kinds;
        for (uint32_t k = 0; k < kinds; k++) {
            if (changes[k] != 0 && fm_chains_node(chains, node)->location != FM_NONE) {
                chains->blame(chains->context,
                              &(struct fm_blame_change){
                                  .time = chains->time,
                                  .weight = changes[k],
                                  .location = fm_chains_node(chains, node)->location,
                                  .kind = chains->kinds->kinds[k],
                              });
            }
            changes[k] = 0;
        }
    }
    chains->changed.count = 0;
}

void fm_chains_add_weight(struct fm_chains *chains, uint32_t node, uint32_t kind, uint64_t change)
{
    fm_forest_count(&chains->forest, node, kind, change);
    change_root(chains, fm_forest_root(&chains->forest, node), kind, change);
}

/* ---- edges ---- */

static void cut(struct fm_chains *chains, uint32_t node)
{
    uint32_t root = fm_forest_root(&chains->forest, node);
    fm_forest_cut(&chains->forest, node);
    keep_sums(chains, node);
    move_sums(chains, root, node);
}

static void suspend(struct fm_chains *chains, uint32_t node)
{
    fm_chains_node(chains, node)->is_suspended = true;
    fm_vector_push(&chains->suspended, node);
}

/* `node`, which is a root, is to depend on one of its own tree: makes all locations of the circle
 * roots. */
static void open_circle(struct fm_chains *chains, uint32_t node, uint32_t target)
{
    chains->circle.count = 0;
    for (uint32_t n = target; n != node; n = fm_forest_parent(&chains->forest, n)) {
        fm_vector_push(&chains->circle, n);
    }
    for (size_t i = 0; i < chains->circle.count; i++) {
        uint32_t n = chains->circle.items[i];
        if (fm_chains_node(chains, n)->location != FM_NONE) {
            cut(chains, n);
            suspend(chains, n);
        }
    }
}

/* Makes a root depend on its target. */
void fm_chains_tie(struct fm_chains *chains, uint32_t node)
{
    uint32_t target = fm_chains_node(chains, node)->target;
    uint32_t root = fm_forest_root(&chains->forest, target);
    if (root == node) {
        open_circle(chains, node, target);
        if (fm_chains_node(chains, node)->location != FM_NONE) {
            suspend(chains, node);
            return;
        }
        root = fm_forest_root(&chains->forest, target);
    }
    keep_sums(chains, node);
    fm_forest_link(&chains->forest, node, target);
    move_sums(chains, node, root);
}

void fm_chains_untie(struct fm_chains *chains, uint32_t node)
{
    if (!fm_chains_node(chains, node)->is_suspended) {
        cut(chains, node);
    }
}

/* Of a node that depends on another one. */
void fm_chains_change_target(struct fm_chains *chains, uint32_t node, uint32_t target)
{
    fm_chains_untie(chains, node);
    fm_chains_node(chains, node)->target = target;
    if (!fm_chains_node(chains, node)->is_suspended) {
        fm_chains_tie(chains, node);
    }
}

/* Looks whether circles still exist. */
void fm_chains_resume(struct fm_chains *chains)
{
    size_t count = 0;
    for (size_t i = 0; i < chains->suspended.count; i++) {
        struct fm_chain_node *node = fm_chains_node(chains, chains->suspended.items[i]);
        if (node->is_suspended) { /* each once */
            node->is_suspended = false;
            chains->suspended.items[count++] = chains->suspended.items[i];
        }
    }
    chains->suspended.count = count;
    for (size_t i = 0; i < count; i++) {
        fm_chains_tie(chains, chains->suspended.items[i]);
    }
    memmove(chains->suspended.items, chains->suspended.items + count,
            (chains->suspended.count - count) * sizeof *chains->suspended.items);
    chains->suspended.count -= count;
}
