/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/comparison/change_format.h"

#include <math.h>
#include <stdio.h>

char *fm_format_change(char buffer[FM_FORMAT_SIZE], int64_t base, int64_t value)
{
    if (base == value)
        snprintf(buffer, FM_FORMAT_SIZE, "=");
    else if (base == 0)
        snprintf(buffer, FM_FORMAT_SIZE, "new");
    else if (value == 0)
        snprintf(buffer, FM_FORMAT_SIZE, "gone");
    else {
        double change = 100 * (double)(value - base) / fabs((double)base);
        if (fabs(change) >= 999.5)
            snprintf(buffer, FM_FORMAT_SIZE, "x %.1f", (double)value / (double)base);
        else if (fabs(change) < 0.05)
            snprintf(buffer, FM_FORMAT_SIZE, "<0.1%%");
        else
            snprintf(buffer, FM_FORMAT_SIZE, "%+.1f%%", change);
    }
    return buffer;
}

char *fm_diff_format_change(char buffer[FM_FORMAT_SIZE], const struct fm_comparison *comparison,
                            size_t variant, int64_t base, int64_t value)
{
    if (fm_comparison_compares(comparison, variant))
        return fm_format_change(buffer, base, value);
    snprintf(buffer, FM_FORMAT_SIZE, "-");
    return buffer;
}

char *fm_diff_format_length(char buffer[FM_FORMAT_SIZE], const struct fm_comparison *comparison,
                            size_t variant)
{
    if (comparison->ends[variant] == NULL)
        return fm_diff_format(buffer, comparison, FM_METRIC_TIME, comparison->lengths[variant]);
    snprintf(buffer, FM_FORMAT_SIZE, "-");
    return buffer;
}

char *fm_diff_format(char buffer[FM_FORMAT_SIZE], const struct fm_comparison *comparison,
                     fm_metric_t metric, int64_t value)
{
    return fm_format_value(buffer, comparison->combination.united.frame,
                           fm_metric_info(metric)->unit, value);
}

char *fm_diff_format_signed(char buffer[FM_FORMAT_SIZE], const struct fm_comparison *comparison,
                            fm_metric_t metric, int64_t difference)
{
    char size[FM_FORMAT_SIZE];
    fm_diff_format(size, comparison, metric, difference < 0 ? -difference : difference);
    snprintf(buffer, FM_FORMAT_SIZE, "%c%.*s", difference < 0 ? '-' : '+', FM_FORMAT_SIZE - 2,
             size);
    return buffer;
}

char *fm_diff_format_ratio(char buffer[FM_FORMAT_SIZE], double ratio)
{
    if (isnan(ratio))
        snprintf(buffer, FM_FORMAT_SIZE, "-");
    else
        snprintf(buffer, FM_FORMAT_SIZE, "%.1f%%", 100 * ratio);
    return buffer;
}

char *fm_diff_format_points(char buffer[FM_FORMAT_SIZE], double base, double ratio)
{
    buffer[0] = '\0';
    if (!isnan(base) && !isnan(ratio))
        snprintf(buffer, FM_FORMAT_SIZE, "%+.1f", 100 * (ratio - base));
    return buffer;
}

unsigned fm_metric_depth(fm_metric_t metric)
{
    unsigned depth = 0;
    while ((metric = fm_metric_info(metric)->parent) != FM_METRIC_NONE)
        depth++;
    return depth;
}
