/* SPDX-License-Identifier: BSD-3-Clause */
/* fermata counters heatmap: a counter over time and ranks, or the difference of two runs, as a
 * picture (SVG) of rates or as numbers (CSV). Columns of the picture differ in length: what a
 * counter changes by is divided by the time, or a short column would look like an idle one. The
 * numbers are the changes themselves, which are exact.
 */
#include "cli/counters/counter_grid.h"
#include "counters/counter_series.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 900, LEFT = 70, TOP = 46, RIGHT = 130, BOTTOM = 46, TALLEST = 560, LABELS = 8 };
enum { UNIT = 64 };

struct picture {
    const struct fm_snapshot_series *series;
    const struct fm_job_counter *counter;
    bool is_difference;
    double least, most; /* of the cells; of differences both as far from 0 */
    double row;         /* height of a rank */
};

static bool is_level(const struct picture *p)
{
    return fm_counter_is_level(p->counter->kind);
}

/* What the counter has changed by in an interval, or the level at its end. */
static double amount(const struct picture *p, size_t interval, size_t rank)
{
    return is_level(p) ? p->series->values[(interval + 1) * p->series->ranks + rank]
                       : fm_counter_series_change(p->series, interval, rank);
}

/* Value of a cell: the change per second, or the level. */
static double cell(const struct picture *p, size_t interval, size_t rank)
{
    double seconds = p->series->seconds[interval + 1] - p->series->seconds[interval];
    double value = amount(p, interval, rank);
    if (is_level(p)) {
        return value;
    }
    /* The last time of a rank is converted with its final clock rate, and may be 1 ns less. */
    if (seconds <= 0 || (value < 0 && !p->is_difference && fm_counter_is_time(p->counter->kind))) {
        return 0;
    }
    return value / seconds;
}

/* A value of a cell as text, without its unit. */
static const char *cell_text(const struct picture *p, char text[FM_COUNTER_TEXT], double value)
{
    if (is_level(p) || (fabs(value) >= 1000 && !fm_counter_is_real(p->counter->kind))) {
        return fm_counter_text(text, p->counter->kind, value);
    }
    snprintf(text, FM_COUNTER_TEXT, "%.4g", value);
    return text;
}

/* The unit of cells: "bytes/s". */
static const char *cell_unit(const struct picture *p, char unit[UNIT])
{
    const char *own = p->counter->unit;
    if (is_level(p)) {
        snprintf(unit, UNIT, "%s", own);
    } else {
        snprintf(unit, UNIT, "%s/s", own[0] != '\0' ? own : "1");
    }
    return unit;
}

static void find_range(struct picture *p)
{
    for (size_t i = 0; i + 1 < p->series->snapshots; i++) {
        for (size_t rank = 0; rank < p->series->ranks; rank++) {
            double value = cell(p, i, rank);
            p->least = value < p->least ? value : p->least;
            p->most = value > p->most ? value : p->most;
        }
    }
    if (p->is_difference) {
        p->most = fmax(p->most, -p->least);
        p->least = -p->most;
    }
}

static void print_colour(const struct picture *p, double value)
{
    char text[8];
    double range = p->most - p->least, share = range > 0 ? (value - p->least) / range : 0;
    fputs(p->is_difference ? fm_counter_difference_colour(text, range > 0 ? 2 * share - 1 : 0)
                           : fm_counter_colour(text, share),
          stdout);
}

static double x_of(const struct picture *p, double seconds)
{
    const double *all = p->series->seconds;
    double first = all[0], last = all[p->series->snapshots - 1];
    return LEFT + (WIDTH - LEFT - RIGHT) * (seconds - first) / (last > first ? last - first : 1);
}

/* The cells of a rank; neighbours of one value are one rectangle. */
static void print_rank(const struct picture *p, size_t rank)
{
    size_t intervals = p->series->snapshots - 1;
    for (size_t i = 0, end; i < intervals; i = end) {
        char text[FM_COUNTER_TEXT], unit[UNIT];
        double value = cell(p, i, rank);
        for (end = i + 1; end < intervals && cell(p, end, rank) == value;) {
            end++;
        }
        double x = x_of(p, p->series->seconds[i]), next = x_of(p, p->series->seconds[end]);
        printf("<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"", x,
               TOP + (double)rank * p->row, next - x, p->row);
        print_colour(p, value);
        printf("\"><title>rank %zu, %.3f-%.3f s: %s %s</title></rect>\n", rank,
               p->series->seconds[i], p->series->seconds[end], cell_text(p, text, value),
               cell_unit(p, unit));
    }
}

static void print_axes(const struct picture *p, double bottom)
{
    const struct fm_snapshot_series *s = p->series;
    size_t step = (s->ranks + LABELS - 1) / LABELS;
    for (size_t rank = 0; rank < s->ranks; rank += step) {
        printf("<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%zu</text>\n", LEFT - 6,
               TOP + ((double)rank + 0.5) * p->row + 4, rank);
    }
    double first = s->seconds[0], last = s->seconds[s->snapshots - 1];
    for (int i = 0; i <= LABELS; i++) {
        double seconds = first + (last - first) * i / LABELS;
        printf("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.2f</text>\n", x_of(p, seconds),
               bottom + 18, seconds);
    }
    printf("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">seconds</text>\n",
           (LEFT + WIDTH - RIGHT) / 2.0, bottom + 38);
    printf("<text x=\"14\" y=\"%.1f\" text-anchor=\"middle\" transform=\"rotate(-90 14 %.1f)\">rank"
           "</text>\n",
           (TOP + bottom) / 2, (TOP + bottom) / 2);
}

static void print_scale(const struct picture *p, double bottom)
{
    enum { STEPS = 64 };
    char text[FM_COUNTER_TEXT], unit[UNIT];
    double height = (bottom - TOP) / STEPS;
    for (int i = 0; i < STEPS; i++) {
        printf("<rect x=\"%d\" y=\"%.2f\" width=\"16\" height=\"%.2f\" fill=\"", WIDTH - RIGHT + 20,
               bottom - (i + 1) * height, height + 0.5);
        print_colour(p, p->least + (p->most - p->least) * (i + 0.5) / STEPS);
        printf("\"/>\n");
    }
    printf("<text x=\"%d\" y=\"%d\">%s</text>\n", WIDTH - RIGHT + 20, TOP - 8, cell_unit(p, unit));
    printf("<text x=\"%d\" y=\"%d\">%s</text>\n", WIDTH - RIGHT + 42, TOP + 10,
           cell_text(p, text, p->most));
    printf("<text x=\"%d\" y=\"%.1f\">%s</text>\n", WIDTH - RIGHT + 42, bottom,
           cell_text(p, text, p->least));
}

static void print_svg(const struct picture *p)
{
    char unit[UNIT];
    double bottom = TOP + p->row * (double)p->series->ranks;
    cell_unit(p, unit);
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
           "font-family=\"sans-serif\" font-size=\"12\">\n"
           "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
           WIDTH, bottom + BOTTOM);
    printf("<text x=\"%d\" y=\"26\" font-size=\"15\">%s%s%s%s%s</text>\n", LEFT, p->series->name,
           unit[0] != '\0' ? " (" : "", unit, unit[0] != '\0' ? ")" : "",
           p->is_difference ? ", the second run less the first" : "");
    puts("<g shape-rendering=\"crispEdges\">");
    for (size_t rank = 0; rank < p->series->ranks; rank++) {
        print_rank(p, rank);
    }
    printf("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%.2f\" fill=\"none\" stroke=\"#888\"/>\n",
           LEFT, TOP, WIDTH - LEFT - RIGHT, bottom - TOP);
    puts("</g>");
    print_axes(p, bottom);
    print_scale(p, bottom);
    puts("</svg>");
}

static void print_csv(const struct picture *p)
{
    char text[FM_COUNTER_PLAIN];
    /* Differences of interpolated totals are no whole numbers. */
    const enum fm_counter_kind kind = p->is_difference ? FM_COUNTER_REAL : p->counter->kind;
    puts("begin,end,rank,value");
    for (size_t i = 0; i + 1 < p->series->snapshots; i++) {
        for (size_t rank = 0; rank < p->series->ranks; rank++) {
            printf("%.9f,%.9f,%zu,%s\n", p->series->seconds[i], p->series->seconds[i + 1], rank,
                   fm_counter_plain(text, kind, amount(p, i, rank)));
        }
    }
}

/* Takes from a series what another run has. */
static fm_status_t subtract(const char *directory, const char *name, bool is_level,
                            struct fm_snapshot_series *series, struct fm_error *error)
{
    struct fm_counter_job job;
    struct fm_snapshot_series other, difference = {0};
    fm_status_t status = fm_counter_job_open(directory, &job, error);
    if (status != FM_OK) {
        return status;
    }
    size_t number = fm_counter_wanted(&job, directory, name, &status, error);
    if (status == FM_OK) {
        status =
            fm_counter_series_of_job(&job, directory, &job.counters[number].name, 1, &other, error);
    }
    if (status == FM_OK) {
        status = fm_counter_series_subtract(&other, series, is_level, &difference, error);
        fm_counter_series_free(&other);
    }
    if (status == FM_OK) {
        fm_counter_series_free(series);
        *series = difference;
    }
    fm_counter_job_close(&job);
    return status;
}

fm_status_t fm_counters_heatmap(const struct fm_counter_request *request,
                                const struct fm_counter_job *job, const char *directory,
                                const char *before, const char *name, struct fm_error *error)
{
    struct fm_snapshot_series series;
    fm_status_t status = FM_OK;
    size_t number = fm_counter_wanted(job, directory, name, &status, error);
    if (status != FM_OK) {
        return status;
    }
    struct picture picture = {.series = &series,
                              .counter = &job->counters[number],
                              .is_difference = before != NULL,
                              .row = 24};
    status = fm_counter_series_of_job(job, directory, &picture.counter->name, 1, &series, error);
    if (status != FM_OK) {
        return status;
    }
    if (before != NULL) {
        status = subtract(before, name, is_level(&picture), &series, error);
    }
    if (status == FM_OK) {
        if (picture.row * (double)series.ranks > TALLEST) {
            picture.row = TALLEST / (double)series.ranks;
        }
        find_range(&picture);
        if (request->format == FM_COUNTERS_CSV) {
            print_csv(&picture);
        } else {
            print_svg(&picture);
        }
    }
    fm_counter_series_free(&series);
    return status;
}
