/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report.h"

#include <string.h>

#define LABEL_COLUMNS 13

static const char *unit_in_words(fm_unit_t unit)
{
    switch (unit) {
    case FM_UNIT_TICKS:
    case FM_UNIT_COST:
        return "seconds (sec)";
    case FM_UNIT_OCCURRENCES:
        return "occurrences (occ)";
    case FM_UNIT_BYTES:
        return "bytes";
    }
    return "";
}

void fm_report_explain(fm_metric_t metric, const struct fm_terminal *terminal)
{
    const struct fm_metric_info *info = fm_metric_info(metric);
    fm_terminal_style(terminal, FM_STYLE_BOLD);
    fm_terminal_print(terminal, "", 0, "%s (%s)", info->name, info->id);
    fm_terminal_style(terminal, FM_STYLE_PLAIN);
    fm_terminal_paragraph(terminal, "  What", LABEL_COLUMNS, info->description);
    fm_terminal_paragraph(terminal, "  Computed", LABEL_COLUMNS, info->formula);
    if (strstr(info->formula, "E_") != NULL || strstr(info->formula, "E(") != NULL)
        fm_terminal_paragraph(terminal, "", LABEL_COLUMNS,
                              "(E and L: when a call is entered and left; E_i: by process i.)");
    fm_terminal_paragraph(terminal, "  Unit", LABEL_COLUMNS, unit_in_words(info->unit));
    if (info->parent != FM_METRIC_NONE) {
        const struct fm_metric_info *parent = fm_metric_info(info->parent);
        fm_terminal_print(terminal, "  Part of", LABEL_COLUMNS, "%s (%s)", parent->name,
                          parent->id);
    }
    const char *label = "  Parts";
    for (unsigned i = 0; i < fm_metric_end(); i++) {
        const struct fm_metric_info *child = fm_metric_info((fm_metric_t)i);
        if (child->parent != metric)
            continue;
        fm_terminal_print(terminal, label, LABEL_COLUMNS, "%s (%s)", child->name, child->id);
        label = "";
    }
    if (*info->advice != '\0')
        fm_terminal_paragraph(terminal, "  Advice", LABEL_COLUMNS, info->advice);
}
