/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/counters/counter_grid.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT = 60, TOP = 60, RIGHT = 150, BOTTOM = 50, GAP = 40, CELL_MOST = 48, PLANE_MOST = 640 };
enum { LABELS = 10 };

bool fm_counter_grid_read(const char *text, struct fm_counter_grid *grid)
{
    *grid = (struct fm_counter_grid){.sizes = {1, 1, 1}};
    uint64_t ranks = 1;
    for (const char *rest = text; grid->dimensions < 3; rest++) {
        char *end;
        unsigned long size = strtoul(rest, &end, 10);
        if (*rest < '0' || *rest > '9' || size == 0 || size > INT_MAX) {
            return false;
        }
        ranks *= size;
        grid->sizes[grid->dimensions++] = (unsigned)size;
        if (*end == '\0') {
            return ranks <= INT_MAX;
        }
        if (*end != 'x' || ranks > INT_MAX) {
            return false;
        }
        rest = end;
    }
    return false;
}

struct shade {
    unsigned strong, weak; /* of the parts of a colour */
};

static struct shade shade_of(double share)
{
    return share < 0.5 ? (struct shade){255, (unsigned)(245 - 2 * share * 170)}
                       : (struct shade){(unsigned)(255 - 2 * (share - 0.5) * 152),
                                        (unsigned)(75 - 2 * (share - 0.5) * 62)};
}

static const char *print_shade(char text[8], unsigned red, unsigned green, unsigned blue)
{
    snprintf(text, 8, "#%02x%02x%02x", red & 255, green & 255, blue & 255);
    return text;
}

const char *fm_counter_colour(char text[8], double share)
{
    const struct shade shade = shade_of(share);
    return print_shade(text, shade.strong, shade.weak, shade.weak);
}

const char *fm_counter_difference_colour(char text[8], double share)
{
    const struct shade shade = shade_of(share < 0 ? -share : share);
    return share < 0 ? print_shade(text, shade.weak, shade.weak, shade.strong)
                     : print_shade(text, shade.strong, shade.weak, shade.weak);
}

size_t fm_counter_wanted(const struct fm_counter_job *job, const char *directory, const char *name,
                         fm_status_t *status, struct fm_error *error)
{
    size_t number = fm_counter_job_find(job, name);
    if (number == job->count) {
        const struct fm_counter_entry *entry = fm_counter_named(name);
        *status =
            entry != NULL && entry->reason != NULL
                ? fm_fail(error, FM_ERR_DATA, "%s is unavailable: %s", name, entry->reason)
                : fm_fail(error, FM_ERR_USAGE, "%s does not have a counter %s", directory, name);
    }
    return number;
}

/* ---- values ---- */

struct view {
    const struct fm_counter_grid *grid;
    const struct fm_counter_job *job;
    size_t counter;
    double least, most;
    double cell; /* its width and height */
};

static size_t rank_at(const struct fm_counter_grid *grid, unsigned x, unsigned y, unsigned z)
{
    return ((size_t)x * grid->sizes[1] + y) * grid->sizes[2] + z;
}

/* The value of a rank. @return false: its process has not begun, or does not have the counter */
static bool value_of(const struct view *view, size_t rank, double *value)
{
    /* Files are in the order of ranks; some may be missing. */
    size_t i = rank < view->job->ranks ? rank : view->job->ranks - 1;
    while (i > 0 && fm_counter_job_rank(view->job, i) > rank) {
        i--;
    }
    return fm_counter_job_rank(view->job, i) == rank &&
           fm_counter_job_value(view->job, i, view->counter, -1, value);
}

static void find_range(struct view *view)
{
    size_t ranks = fm_counter_job_size(view->job);
    for (size_t rank = 0; rank < ranks; rank++) {
        double value;
        if (value_of(view, rank, &value)) {
            view->least = value < view->least ? value : view->least;
            view->most = value > view->most ? value : view->most;
        }
    }
}

/* ---- the picture ---- */

static double top_of(const struct view *view, unsigned z)
{
    return TOP + z * (view->cell * view->grid->sizes[1] + GAP);
}

static void print_cell(const struct view *view, unsigned x, unsigned y, unsigned z)
{
    char colour[8] = "#dddddd", text[FM_COUNTER_TEXT] = "not counted";
    size_t rank = rank_at(view->grid, x, y, z);
    double value, range = view->most - view->least;
    if (value_of(view, rank, &value)) {
        fm_counter_colour(colour, range > 0 ? (value - view->least) / range : 0);
        fm_counter_text(text, view->job->counters[view->counter].kind, value);
    }
    printf("<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"><title>rank %zu "
           "(%u, %u, %u): %s</title></rect>\n",
           LEFT + x * view->cell, top_of(view, z) + (view->grid->sizes[1] - 1 - y) * view->cell,
           view->cell, view->cell, colour, rank, x, y, z, text);
}

static void print_plane(const struct view *view, unsigned z)
{
    const unsigned *sizes = view->grid->sizes;
    double top = top_of(view, z), bottom = top + sizes[1] * view->cell;
    puts("<g shape-rendering=\"crispEdges\">");
    for (unsigned x = 0; x < sizes[0]; x++) {
        for (unsigned y = 0; y < sizes[1]; y++) {
            print_cell(view, x, y, z);
        }
    }
    printf("<rect x=\"%d\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"none\" "
           "stroke=\"#888\"/>\n</g>\n",
           LEFT, top, sizes[0] * view->cell, bottom - top);
    for (unsigned x = 0; x < sizes[0]; x += (sizes[0] + LABELS - 1) / LABELS) {
        printf("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%u</text>\n",
               LEFT + (x + 0.5) * view->cell, bottom + 15, x);
    }
    for (unsigned y = 0; y < sizes[1]; y += (sizes[1] + LABELS - 1) / LABELS) {
        printf("<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%u</text>\n", LEFT - 6,
               bottom - (y + 0.5) * view->cell + 4, y);
    }
    if (sizes[2] > 1) {
        printf("<text x=\"%d\" y=\"%.1f\">third dimension: %u</text>\n", LEFT, top - 6, z);
    }
}

static void print_scale(const struct view *view, double left)
{
    enum { STEPS = 64, HEIGHT = 160 };
    char text[FM_COUNTER_TEXT], colour[8];
    enum fm_counter_kind kind = view->job->counters[view->counter].kind;
    for (int i = 0; i < STEPS; i++) {
        printf("<rect x=\"%.1f\" y=\"%.2f\" width=\"16\" height=\"%.2f\" fill=\"%s\"/>\n", left,
               TOP + HEIGHT - (i + 1.0) * HEIGHT / STEPS, (double)HEIGHT / STEPS + 0.5,
               fm_counter_colour(colour, (i + 0.5) / STEPS));
    }
    printf("<text x=\"%.1f\" y=\"%d\">%s</text>\n", left + 22, TOP + 10,
           fm_counter_text(text, kind, view->most));
    printf("<text x=\"%.1f\" y=\"%d\">%s</text>\n", left + 22, TOP + HEIGHT,
           fm_counter_text(text, kind, view->least));
}

static void print_svg(struct view *view)
{
    const unsigned *sizes = view->grid->sizes;
    unsigned longest = sizes[0] > sizes[1] ? sizes[0] : sizes[1];
    view->cell = PLANE_MOST / longest < CELL_MOST ? (double)PLANE_MOST / longest : CELL_MOST;
    double width = sizes[0] * view->cell;
    double bottom = top_of(view, sizes[2] - 1) + sizes[1] * view->cell;
    bottom = bottom > TOP + 160 ? bottom : TOP + 160;
    width = width > 200 ? width : 200;
    const struct fm_job_counter *counter = &view->job->counters[view->counter];
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
           "font-family=\"sans-serif\" font-size=\"12\">\n"
           "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
           "<text x=\"%d\" y=\"26\" font-size=\"15\">%s%s%s%s</text>\n",
           LEFT + width + RIGHT, bottom + BOTTOM, LEFT, counter->name,
           counter->unit[0] != '\0' ? " (" : "", counter->unit,
           counter->unit[0] != '\0' ? ")" : "");
    for (unsigned z = 0; z < sizes[2]; z++) {
        print_plane(view, z);
    }
    print_scale(view, LEFT + width + 20);
    puts("</svg>");
}

static void print_csv(const struct view *view)
{
    const unsigned *sizes = view->grid->sizes;
    puts("x,y,z,rank,value");
    for (unsigned x = 0; x < sizes[0]; x++) {
        for (unsigned y = 0; y < sizes[1]; y++) {
            for (unsigned z = 0; z < sizes[2]; z++) {
                char text[FM_COUNTER_PLAIN] = "";
                double value;
                size_t rank = rank_at(view->grid, x, y, z);
                if (value_of(view, rank, &value)) {
                    fm_counter_plain(text, view->job->counters[view->counter].kind, value);
                }
                printf("%u,%u,%u,%zu,%s\n", x, y, z, rank, text);
            }
        }
    }
}

fm_status_t fm_counters_grid(const struct fm_counter_request *request,
                             const struct fm_counter_grid *grid, const struct fm_counter_job *job,
                             const char *directory, const char *name, struct fm_error *error)
{
    fm_status_t status = FM_OK;
    unsigned ranks = grid->sizes[0] * grid->sizes[1] * grid->sizes[2];
    unsigned size = fm_counter_job_size(job);
    struct view view = {.grid = grid, .job = job};
    view.counter = fm_counter_wanted(job, directory, name, &status, error);
    if (status != FM_OK) {
        return status;
    }
    if (ranks != size) {
        return fm_fail(error, FM_ERR_USAGE, "a grid of %u processes for a run of %u", ranks, size);
    }
    find_range(&view);
    if (request->format == FM_COUNTERS_CSV) {
        print_csv(&view);
    } else {
        print_svg(&view);
    }
    return FM_OK;
}
