/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/tree_drawing.h"

#include "base/memory.h"
#include "base/text.h"
#include "diagnosis/number_format.h"

#include <stdlib.h>
#include <string.h>

#define VALUE_COLUMNS   11
#define PERCENT_COLUMNS 7
#define BAR_COLUMNS     11 /* including the following space */
#define SMALLEST_NAME   16
#define WIDTH_FOR_BARS  64

/** The children of node i are children[first[i + 1] .. first[i + 2]); with index 0 they are the
 * roots. */
struct drawing {
    const struct fm_tree *tree;
    const struct fm_tree_options *options;
    const struct fm_cube *cube;
    const struct fm_terminal *terminal;
    uint32_t *children;
    uint32_t *first;
    unsigned bar_columns; /**< 0 on a narrow terminal */
    unsigned name_column;
};

static int compare_children(const void *left, const void *right, void *context)
{
    const struct fm_tree *tree = context;
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    if (tree->inclusive[a] != tree->inclusive[b])
        return tree->inclusive[a] > tree->inclusive[b] ? -1 : 1;
    return (a > b) - (a < b);
}

/** Groups the nodes by parent, in descending order of value. */
static void arrange(struct drawing *drawing)
{
    const struct fm_tree *tree = drawing->tree;
    uint32_t *first = fm_allocate((size_t)tree->count + 2, sizeof *first);
    uint32_t *next = fm_allocate((size_t)tree->count + 2, sizeof *next);
    uint32_t *children = fm_allocate((size_t)tree->count + 1, sizeof *children);
    for (uint32_t i = 0; i < tree->count; i++)
        first[tree->parents[i] + 2]++; /* FM_CUBE_NONE + 2 wraps to 1, the index of the roots */
    for (uint32_t i = 1; i < tree->count + 2; i++)
        first[i] += first[i - 1];
    memcpy(next, first, ((size_t)tree->count + 2) * sizeof *next);
    for (uint32_t i = 0; i < tree->count; i++)
        children[next[tree->parents[i] + 1]++] = i;
    for (uint32_t i = drawing->options->keep_roots ? 1 : 0; i <= tree->count; i++) {
        if (first[i + 1] - first[i] > 1)
            qsort_r(children + first[i], first[i + 1] - first[i], sizeof *children,
                    compare_children, (void *)tree);
    }
    fm_free(next);
    drawing->children = children;
    drawing->first = first;
}

/** Writes value, percent and bar. */
static void draw_numbers(const struct drawing *drawing, int64_t value, int64_t whole,
                         fm_unit_t unit)
{
    const struct fm_terminal *terminal = drawing->terminal;
    char number[FM_FORMAT_SIZE];
    char percent[FM_FORMAT_SIZE];
    fprintf(terminal->stream, "%*s%*s  ", VALUE_COLUMNS,
            fm_format_value(number, drawing->cube, unit, value), PERCENT_COLUMNS,
            fm_format_percent(percent, value, whole));
    if (drawing->bar_columns > 0) {
        unsigned used =
            fm_terminal_bar(terminal, fm_fraction(value, whole), drawing->bar_columns - 1);
        fprintf(terminal->stream, "%*s", (int)(drawing->bar_columns - used), "");
    }
}

/** Writes a name, truncated at the right edge of the terminal. */
static void draw_name(const struct drawing *drawing, unsigned depth, const char *name,
                      const char *suffix, enum fm_style style)
{
    const struct fm_terminal *terminal = drawing->terminal;
    char *printable = fm_terminal_name(terminal, name);
    unsigned room = terminal->width - drawing->name_column - 2 * depth - (unsigned)strlen(suffix);
    fprintf(terminal->stream, "%*s", (int)(2 * depth), "");
    fm_terminal_style(terminal, style);
    if (fm_text_columns(printable) <= room)
        fputs(printable, terminal->stream);
    else
        fprintf(terminal->stream, "%.*s..", (int)fm_text_fit(printable, room - 2), printable);
    fputs(suffix, terminal->stream);
    if (style != FM_STYLE_PLAIN)
        fm_terminal_style(terminal, FM_STYLE_PLAIN);
    putc('\n', terminal->stream);
    free(printable);
}

static bool is_visible(const struct drawing *drawing, uint32_t node)
{
    const struct fm_tree *tree = drawing->tree;
    return tree->inclusive[node] != 0 && tree->inclusive[node] >= tree->smallest[node];
}

static void draw_level(const struct drawing *drawing, uint32_t place, unsigned depth);

static void draw_node(const struct drawing *drawing, uint32_t node, unsigned depth)
{
    const struct fm_tree *tree = drawing->tree;
    const uint32_t *first = drawing->first + node + 1;
    bool has_children = false;
    bool expanded = false;
    bool deep = drawing->name_column + 2 * (depth + 1) + SMALLEST_NAME > drawing->terminal->width;
    for (uint32_t i = first[0]; i < first[1]; i++) {
        has_children |= tree->inclusive[drawing->children[i]] != 0;
        expanded |= !deep && is_visible(drawing, drawing->children[i]);
    }
    int64_t value =
        drawing->options->exclusive && expanded ? tree->exclusive[node] : tree->inclusive[node];
    draw_numbers(drawing, value, tree->wholes[node], tree->units[node]);
    bool marked = tree->marked != NULL && tree->marked[node];
    draw_name(drawing, depth, tree->names[node], has_children && !expanded ? " +" : "",
              marked       ? FM_STYLE_ALARM
              : depth == 0 ? FM_STYLE_BOLD
                           : FM_STYLE_PLAIN);
    if (expanded)
        draw_level(drawing, node + 1, depth + 1);
}

/** Draws the children of a node; one line stands for all folded children, so that the values add
 * up. */
static void draw_level(const struct drawing *drawing, uint32_t place, unsigned depth)
{
    const struct fm_tree *tree = drawing->tree;
    unsigned drawn = 0;
    uint32_t folded = 0;
    uint32_t example = 0;
    int64_t rest = 0;
    for (uint32_t i = drawing->first[place]; i < drawing->first[place + 1]; i++) {
        uint32_t node = drawing->children[i];
        if (tree->inclusive[node] == 0)
            continue;
        bool kept = depth == 0 && drawing->options->keep_roots;
        if (kept || (drawn < drawing->options->top && is_visible(drawing, node))) {
            draw_node(drawing, node, depth);
            drawn++;
        } else {
            example = node;
            rest += tree->inclusive[node];
            folded++;
        }
    }
    if (folded > 0) {
        char text[64];
        snprintf(text, sizeof text, "(%u more)", folded);
        draw_numbers(drawing, rest, tree->wholes[example], tree->units[example]);
        draw_name(drawing, depth, text, "", FM_STYLE_DIM);
    }
}

void fm_tree_draw(const struct fm_tree *tree, const struct fm_tree_options *options,
                  const struct fm_cube *cube, const struct fm_terminal *terminal)
{
    unsigned bar_columns = terminal->width >= WIDTH_FOR_BARS ? BAR_COLUMNS : 0;
    struct drawing drawing = {
        .tree = tree,
        .options = options,
        .cube = cube,
        .terminal = terminal,
        .bar_columns = bar_columns,
        .name_column = VALUE_COLUMNS + PERCENT_COLUMNS + 2 + bar_columns,
    };
    arrange(&drawing);
    draw_level(&drawing, 0, 0);
    fm_free(drawing.children);
    fm_free(drawing.first);
}
