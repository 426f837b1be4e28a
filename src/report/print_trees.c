/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/memory.h"
#include "cube/model/callpath_text.h"
#include "cube/model/metric_id.h"
#include "diagnosis/number_format.h"
#include "diagnosis/place.h"
#include "diagnosis/process_word.h"
#include "diagnosis/time_shares.h"
#include "diagnosis/uncertainty.h"
#include "report/report.h"
#include "report/tree_drawing.h"

#include <stdlib.h>
#include <string.h>

/** Branches below this share of their tree's total are folded. */
#define SMALLEST_SHARE 0.005

/** A tree under construction; the arrays are indexed by node. */
struct growing_tree {
    uint32_t count;
    uint32_t *parents;
    int64_t *exclusive, *inclusive, *wholes, *smallest;
    fm_unit_t *units;
    const char **names;
    bool *marked;
};

static void make_tree(struct growing_tree *tree, size_t capacity)
{
    tree->count = (uint32_t)capacity;
    capacity++; /* even an empty tree needs arrays */
    tree->parents = fm_allocate(capacity, sizeof *tree->parents);
    tree->exclusive = fm_allocate(capacity, sizeof *tree->exclusive);
    tree->inclusive = fm_allocate(capacity, sizeof *tree->inclusive);
    tree->wholes = fm_allocate(capacity, sizeof *tree->wholes);
    tree->smallest = fm_allocate(capacity, sizeof *tree->smallest);
    tree->units = fm_allocate(capacity, sizeof *tree->units);
    tree->names = fm_allocate(capacity, sizeof *tree->names);
    tree->marked = fm_allocate(capacity, sizeof *tree->marked);
}

static void free_tree(struct growing_tree *tree)
{
    fm_free(tree->parents);
    fm_free(tree->exclusive);
    fm_free(tree->inclusive);
    fm_free(tree->wholes);
    fm_free(tree->smallest);
    fm_free(tree->units);
    fm_free(tree->names);
    fm_free(tree->marked);
}

static void draw(const struct fm_report *report, const struct growing_tree *grown, bool keep_roots)
{
    const struct fm_tree tree = {
        .count = grown->count,
        .parents = grown->parents,
        .exclusive = grown->exclusive,
        .inclusive = grown->inclusive,
        .wholes = grown->wholes,
        .smallest = grown->smallest,
        .units = grown->units,
        .names = grown->names,
        .marked = grown->marked,
    };
    const struct fm_tree_options options = {report->options->exclusive, keep_roots,
                                            report->options->top};
    fm_tree_draw(&tree, &options, report->diagnosis.cube, report->terminal);
}

/** Sets the same unit, 100 % value and drawing limit for all nodes of a tree. */
static void set_scale(struct growing_tree *tree, fm_unit_t unit, int64_t whole, int64_t total)
{
    for (uint32_t i = 0; i < tree->count; i++) {
        tree->units[i] = unit;
        tree->wholes[i] = whole;
        tree->smallest[i] = (int64_t)(SMALLEST_SHARE * (double)total);
    }
}

static void print_heading(const struct fm_report *report, const char *tree, fm_metric_t metric)
{
    char text[256];
    const struct fm_metric_info *root = fm_metric_info(fm_metric_root(metric));
    snprintf(text, sizeof text, "%s%s%s (%s, %% of %s)", tree, tree[0] == 'M' ? "" : " of ",
             tree[0] == 'M' ? "" : fm_metric_info(metric)->name,
             report->options->exclusive ? "exclusive" : "inclusive", root->name);
    fm_terminal_heading(report->terminal, text);
}

/** @return the name of a metric, with the error of its sum if it is notable: "Late Sender
 * (+-0.3%)"; to be freed with free() */
static char *name_metric(const struct fm_diagnosis *diagnosis, fm_metric_t metric)
{
    const char *name = fm_metric_info(metric)->name;
    char error[FM_UNCERTAIN_SIZE];
    char *label = NULL;
    fm_format_error(error, diagnosis, " (", fm_error_of_kind(diagnosis, metric),
                    diagnosis->metrics[fm_metric_root(metric)]);
    if (asprintf(&label, "%s%s%s", name, error, error[0] == '\0' ? "" : ")") < 0) {
        abort(); /* Without memory for one line no error message can be printed either. */
    }
    return label;
}

static void draw_metrics(const struct fm_report *report, const struct fm_view *view)
{
    const struct fm_selection *selection = &report->options->selection;
    struct growing_tree tree;
    char *labels[FM_METRIC_COUNT];
    make_tree(&tree, FM_METRIC_COUNT);
    fm_view_metrics(view, tree.exclusive, tree.inclusive);
    for (uint32_t i = 0; i < FM_METRIC_COUNT; i++) {
        fm_metric_t metric = (fm_metric_t)i;
        const struct fm_metric_info *info = fm_metric_info(metric);
        fm_metric_t root = fm_metric_root(metric);
        bool is_root = info->parent == FM_METRIC_NONE || metric == selection->metric;
        tree.parents[i] = is_root ? FM_CUBE_NONE : (uint32_t)info->parent;
        /* Of the metrics about the formation of wait states, the overview shows one line for each
         * tree. */
        bool is_detail = selection->metric == FM_METRIC_NONE && root >= FM_METRIC_FORMATION &&
                         root < FM_METRIC_USER && !is_root;
        if (!view->metrics[i] || is_detail)
            tree.inclusive[i] = 0;
        tree.units[i] = info->unit;
        tree.wholes[i] = report->diagnosis.metrics[root];
        tree.smallest[i] = 1; /* the table is small: show all entries */
        labels[i] = name_metric(&report->diagnosis, metric);
        tree.names[i] = labels[i];
        tree.marked[i] = info->is_wait_state;
    }
    if (selection->metric == FM_METRIC_NONE)
        fm_terminal_heading(report->terminal, report->options->exclusive
                                                  ? "Metrics (exclusive, % of their root)"
                                                  : "Metrics (inclusive, % of their root)");
    else
        print_heading(report, "Metrics", selection->metric);
    draw(report, &tree, true);
    for (uint32_t i = 0; i < FM_METRIC_COUNT; i++) {
        free(labels[i]);
    }
    free_tree(&tree);
}

static void draw_callpaths(const struct fm_report *report, const struct fm_view *view,
                           int64_t total)
{
    const struct fm_cube *cube = report->diagnosis.cube;
    fm_metric_t metric = view->selection.metric;
    uint32_t selected = view->selection.callpath;
    struct growing_tree tree;
    char **labels = fm_allocate((size_t)cube->region_count + 1, sizeof *labels);
    char **site_labels = fm_allocate((size_t)cube->callpath_count + 1, sizeof *site_labels);
    make_tree(&tree, cube->callpath_count);
    fm_view_callpaths(view, tree.exclusive, tree.inclusive);
    set_scale(&tree, fm_metric_info(metric)->unit,
              report->diagnosis.metrics[fm_metric_root(metric)], total);
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        tree.parents[i] = i == selected ? FM_CUBE_NONE : cube->callpaths[i].parent;
        if (!view->callpaths[i])
            tree.inclusive[i] = 0;
        uint32_t region = cube->callpaths[i].region;
        if (cube->callpaths[i].site != FM_CUBE_NONE)
            tree.names[i] = site_labels[i] = fm_place_last_region(cube, i);
        else if (labels[region] == NULL)
            tree.names[i] = labels[region] = fm_place_region(&cube->regions[region]);
        else
            tree.names[i] = labels[region];
    }
    char *path = NULL;
    if (selected != FM_CUBE_NONE) {
        path = fm_cube_callpath_text(cube, selected, "/");
        if (path != NULL)
            tree.names[selected] = path;
    }
    print_heading(report, "Call tree", metric);
    draw(report, &tree, false);
    free(path);
    free_tree(&tree);
    for (uint32_t i = 0; i < cube->region_count; i++)
        free(labels[i]);
    for (uint32_t i = 0; i < cube->callpath_count; i++)
        free(site_labels[i]);
    fm_free(labels);
    fm_free(site_labels);
}

/** Orders locations by their place in the system tree. */
static int compare_places(const void *left, const void *right, void *context)
{
    const struct fm_cube *cube = context;
    const struct fm_cube_location *a = &cube->locations[*(const uint32_t *)left];
    const struct fm_cube_location *b = &cube->locations[*(const uint32_t *)right];
    int order = strcmp(a->node, b->node);
    if (order != 0)
        return order;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

static uint32_t add_node(struct growing_tree *tree, uint32_t parent, const char *name)
{
    tree->parents[tree->count] = parent;
    tree->names[tree->count] = name;
    return tree->count++;
}

/** Builds machine, nodes, ranks and threads; a rank with one thread is one node of the tree.
 * @param labels  out: names allocated here, to be freed; two for each location */
static void build_system(const struct fm_cube *cube, const int64_t *values,
                         struct growing_tree *tree, char **labels)
{
    const struct fm_process_word process = fm_process_word(cube);
    uint32_t *order = fm_allocate((size_t)cube->location_count + 1, sizeof *order);
    for (uint32_t i = 0; i < cube->location_count; i++)
        order[i] = i;
    qsort_r(order, cube->location_count, sizeof *order, compare_places, (void *)cube);
    const char *machine = cube->experiment.machine;
    uint32_t root =
        add_node(tree, FM_CUBE_NONE, machine != NULL && *machine != '\0' ? machine : "machine");
    uint32_t node = root;
    uint32_t rank = root;
    const struct fm_cube_location *previous = NULL;
    for (uint32_t i = 0; i < cube->location_count; i++) {
        const struct fm_cube_location *location = &cube->locations[order[i]];
        const struct fm_cube_location *next =
            i + 1 < cube->location_count ? &cube->locations[order[i + 1]] : NULL;
        bool new_node = previous == NULL || strcmp(previous->node, location->node) != 0;
        bool new_rank = new_node || previous->rank != location->rank;
        bool threads = !new_rank || (next != NULL && next->rank == location->rank &&
                                     strcmp(next->node, location->node) == 0);
        if (new_node)
            node = add_node(tree, root, location->node);
        if (new_rank) {
            labels[2 * (size_t)i] = fm_process_name(process, location);
            rank = add_node(tree, node, labels[2 * (size_t)i]);
        }
        uint32_t leaf = rank;
        if (threads) {
            if (asprintf(&labels[2 * (size_t)i + 1], "%s %u", fm_place_kind(location),
                         location->thread) < 0)
                labels[2 * (size_t)i + 1] = NULL;
            const char *label = labels[2 * (size_t)i + 1];
            leaf = add_node(tree, rank, label != NULL ? label : location->name);
        }
        tree->exclusive[leaf] = values[order[i]];
        previous = location;
    }
    for (uint32_t i = tree->count; i-- > 0;) {
        tree->inclusive[i] += tree->exclusive[i];
        if (tree->parents[i] != FM_CUBE_NONE)
            tree->inclusive[tree->parents[i]] += tree->inclusive[i];
    }
    fm_free(order);
}

static void draw_system(const struct fm_report *report, const struct fm_view *view, int64_t total)
{
    const struct fm_cube *cube = report->diagnosis.cube;
    fm_metric_t metric = view->selection.metric;
    int64_t *values = fm_allocate((size_t)cube->location_count + 1, sizeof *values);
    char **labels = fm_allocate(2 * (size_t)cube->location_count + 1, sizeof *labels);
    struct growing_tree tree;
    make_tree(&tree, 1 + 3 * (size_t)cube->location_count);
    tree.count = 0;
    fm_view_locations(view, values);
    build_system(cube, values, &tree, labels);
    set_scale(&tree, fm_metric_info(metric)->unit,
              report->diagnosis.metrics[fm_metric_root(metric)], total);
    print_heading(report, "System tree", metric);
    draw(report, &tree, false);
    free_tree(&tree);
    for (size_t i = 0; i < 2 * (size_t)cube->location_count; i++)
        free(labels[i]);
    fm_free(labels);
    fm_free(values);
}

fm_status_t fm_report_trees(const struct fm_report *report, struct fm_error *error)
{
    struct fm_view view;
    struct fm_selection selection = report->options->selection;
    if (report->diagnosis.cube->cell_count == 0) {
        fm_terminal_paragraph(report->terminal, "", 0, "This report holds no values.");
        return FM_OK;
    }
    fm_status_t status = fm_view_prepare(&view, report->diagnosis.cube, &selection, error);
    if (status != FM_OK)
        return status;
    draw_metrics(report, &view);
    fm_view_release(&view);

    if (selection.metric == FM_METRIC_NONE)
        selection.metric = FM_METRIC_TIME;
    status = fm_view_prepare(&view, report->diagnosis.cube, &selection, error);
    if (status != FM_OK)
        return status;
    int64_t total = fm_view_total(&view);
    bool is_unknown =
        fm_time_is_unknown(&report->diagnosis) && !fm_metric_is_counter(selection.metric);
    if (is_unknown && report->options->selection.metric == FM_METRIC_NONE) {
        fm_view_release(&view); /* the summary states it */
        return FM_OK;
    }
    if (total == 0) {
        putc('\n', report->terminal->stream);
        const struct fm_metric_info *info = fm_metric_info(selection.metric);
        fm_terminal_print(report->terminal, "", 0,
                          fm_cube_is_switched_off(report->diagnosis.cube, info->id)
                              ? "%s was not searched for."
                          : is_unknown ? "%s is not known: no process reached its regular end."
                                       : "%s is 0 in this selection.",
                          info->name);
    } else {
        draw_callpaths(report, &view, total);
        draw_system(report, &view, total);
    }
    fm_view_release(&view);
    return FM_OK;
}
