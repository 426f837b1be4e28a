/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints docs/metrics.md from the table of metrics. */
#include "cube/model/metric.h"

#include <stdio.h>

static unsigned depth_of(fm_metric_t metric)
{
    unsigned depth = 0;
    for (fm_metric_t at = fm_metric_info(metric)->parent; at != FM_METRIC_NONE;
         at = fm_metric_info(at)->parent) {
        ++depth;
    }
    return depth;
}

static void print_tree(fm_metric_t root)
{
    printf("```\n");
    for (unsigned m = 0; m < FM_METRIC_USER; ++m) {
        fm_metric_t metric = (fm_metric_t)m;
        if (fm_metric_root(metric) == root) {
            int indent = 2 * (int)depth_of(metric);
            printf("%*s%-*s %s\n", indent, "", 44 - indent, fm_metric_info(metric)->id,
                   fm_metric_info(metric)->name);
        }
    }
    printf("```\n\n");
}

static void print_metric(fm_metric_t metric)
{
    const struct fm_metric_info *info = fm_metric_info(metric);
    printf("### %s: `%s`\n\n%s\n\n*Computed:* %s", info->name, info->id, info->description,
           info->formula);
    if (info->is_wait_state) {
        printf(" A wait state or a part of one.");
    }
    printf("\n\n");
    if (info->advice[0] != '\0') {
        printf("*Advice:* %s\n\n", info->advice);
    }
}

int main(void)
{
    printf("# Metrics\n\n"
           "This page is made from the table in `src/cube/model/metrics.def` by "
           "`scripts/update-docs`;\n"
           "`fermata report --explain METRIC` tells the same in the terminal.\n\n"
           "A child is a part of its parent. Values are exclusive in call path and location.\n"
           "In formulas E and L are the times at which a call is entered and left, E_i and L_i\n"
           "those of process i. [W02] is F. Wolf, *Automatic Performance Analysis on Parallel\n"
           "Computers with SMP Nodes* (2002); [H17] M.-A. Hermanns, *Understanding the Formation\n"
           "of Wait States in One-Sided Communication* (2017).\n\n");
    for (unsigned m = 0; m < FM_METRIC_USER; ++m) {
        fm_metric_t metric = (fm_metric_t)m;
        if (fm_metric_info(metric)->parent == FM_METRIC_NONE) {
            printf("## %s (%s)\n\n", fm_metric_info(metric)->name,
                   fm_unit_name(fm_metric_info(metric)->unit));
            print_tree(metric);
        }
        print_metric(metric);
    }
    return 0;
}
