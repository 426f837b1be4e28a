/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Charts as SVG in the look of the viewer: bars in groups, or lines.
 */
#ifndef FERMATA_IMBALANCE_OUTPUT_CHART_H
#define FERMATA_IMBALANCE_OUTPUT_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { FM_CHART_SERIES = 6, FM_CHART_MARKS = 2 };

/** A colour of the viewer, by what it stands for. */
enum fm_chart_colour {
    FM_CHART_WORK,
    FM_CHART_COMPUTATION,
    FM_CHART_MEASURED,
    FM_CHART_ADJUSTED,
    FM_CHART_COMPOSITE,
    FM_CHART_OTHER
};

struct fm_chart_series {
    const char *name;
    const double *values; /**< [place]; NAN: none */
    enum fm_chart_colour colour;
};

/** A horizontal line. */
struct fm_chart_mark {
    const char *name;
    double value;
};

struct fm_chart {
    const char *title, *x_label, *y_label;
    bool is_line;              /**< lines with points; else bars */
    size_t count;              /**< places on the x axis */
    const double *x;           /**< of lines: their places; NULL: 0, 1, ... */
    const char *const *labels; /**< of bars: names of the groups; NULL: 0, 1, ... */
    struct fm_chart_series series[FM_CHART_SERIES];
    size_t series_count;
    struct fm_chart_mark marks[FM_CHART_MARKS];
    size_t mark_count;
    bool has_low; /**< the y axis begins at `low` instead of 0 */
    double low;
};

/** Writes the chart as an SVG document. Names may hold any bytes. Errors are left in the stream. */
void fm_chart_write(const struct fm_chart *chart, FILE *stream);

#endif
