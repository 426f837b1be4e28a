/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/problems/sampled/cause_tree.h"

#include <math.h>

/* @return the row of a call path, which is added behind its callers' if it is new */
static uint32_t row_of(struct fm_cause_tree *tree, const struct fm_analysis *analysis,
                       const struct fm_side_differences *differences, uint32_t callpath)
{
    const uint32_t known = fm_map_get(&tree->row_of, callpath);
    if (known != FM_MAP_ABSENT) {
        return known;
    }
    const struct fm_callpath *node = &analysis->trace->callpaths.items[callpath];
    const uint32_t parent =
        node->parent == FM_NONE ? FM_NONE : row_of(tree, analysis, differences, node->parent);
    const uint32_t visit = fm_map_get(&differences->node_of, callpath);
    const uint32_t row = (uint32_t)tree->rows.count;
    fm_vector_push(&tree->rows,
                   (struct fm_cause_row){
                       .callpath = callpath,
                       .visit = visit == FM_MAP_ABSENT ? FM_NONE : visit,
                       .parent = parent,
                       .is_call = analysis->own_metrics[node->region] != FM_METRIC_COMP,
                   });
    fm_map_at(&tree->row_of, callpath, row);
    return row;
}

struct fm_cause_tree fm_cause_tree_create(const struct fm_analysis *analysis,
                                          const struct fm_side_differences *differences)
{
    struct fm_cause_tree tree = {0};
    for (size_t i = 0; i < differences->totals.count; ++i) {
        const struct fm_path_total *total = &differences->totals.items[i];
        const uint32_t number = row_of(&tree, analysis, differences, total->callpath);
        struct fm_cause_row *row = &tree.rows.items[number];
        row->own = (double)(int64_t)(total->own - total->waiters);
        row->waiters_own = (double)total->waiters;
    }
    return tree;
}

double fm_cause_error(const struct fm_cause_row *row, bool is_own)
{
    return sqrt(is_own ? row->own_variance : row->all_variance) + row->unsampled;
}

/* Adds up what the rows call. */
static void add_up(struct fm_cause_tree *tree)
{
    for (size_t i = 0; i < tree->rows.count; ++i) {
        struct fm_cause_row *row = &tree->rows.items[i];
        row->is_exact = row->is_call || !(fm_cause_error(row, true) > 0);
        row->all = row->own;
        row->waiters_all = row->waiters_own;
        row->exact = row->is_exact ? row->own : 0;
    }
    for (size_t i = tree->rows.count; i-- > 0;) {
        const struct fm_cause_row *row = &tree->rows.items[i];
        if (row->parent != FM_NONE) {
            struct fm_cause_row *caller = &tree->rows.items[row->parent];
            caller->all += row->all;
            caller->waiters_all += row->waiters_all;
            caller->exact += row->exact;
        }
    }
}

/* Judges the rows from what is called to the callers.
 * @param found  [row]: whether something in it or below is significant, exact times aside */
static void judge(struct fm_cause_tree *tree, bool *found)
{
    for (size_t i = tree->rows.count; i-- > 0;) {
        struct fm_cause_row *row = &tree->rows.items[i];
        if (row->is_exact) {
            row->is_significant = row->own > 0;
        } else {
            row->is_significant = row->own > FM_SIGNIFICANT * fm_cause_error(row, true);
            found[i] = found[i] || row->is_significant;
        }
        if (!row->is_call && !found[i]) {
            row->stands_for_callees =
                row->all - row->exact > FM_SIGNIFICANT * fm_cause_error(row, false) &&
                row->all > row->exact;
            found[i] = row->stands_for_callees;
        }
        const bool counts = row->is_significant && !row->is_call;
        row->own_excess =
            (counts ? row->own : 0) + (row->stands_for_callees ? row->all - row->exact : 0);
        row->excess += row->own_excess;
        if (row->parent != FM_NONE) {
            found[row->parent] = found[row->parent] || found[i];
            tree->rows.items[row->parent].excess += row->excess;
        }
    }
}

void fm_cause_tree_judge(struct fm_cause_tree *tree)
{
    bool *found = fm_allocate(tree->rows.count, sizeof *found);
    add_up(tree);
    judge(tree, found);
    fm_free(found);
}

void fm_cause_tree_ignore(struct fm_cause_tree *tree)
{
    for (size_t i = 0; i < tree->rows.count; ++i) {
        struct fm_cause_row *row = &tree->rows.items[i];
        row->is_exact = row->is_call;
        row->is_significant = row->is_call && row->own > 0;
    }
}

bool fm_cause_is_within(const struct fm_cause_tree *tree, uint32_t row, uint32_t caller)
{
    while (row != FM_NONE && row != caller) {
        row = tree->rows.items[row].parent;
    }
    return row == caller;
}

void fm_cause_tree_free(struct fm_cause_tree *tree)
{
    fm_vector_free(&tree->rows);
    fm_map_free(&tree->row_of);
}
