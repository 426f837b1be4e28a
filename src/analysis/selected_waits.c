/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/selected_waits.h"

struct waits_selection {
    struct fm_analysis *analysis;
    fm_metric_t instead[FM_METRIC_USER]; /* of each metric; FM_METRIC_NONE: none */
};

/* @return the closest wait state that a metric is a case of and that is not switched off */
static fm_metric_t find_other(fm_metric_t metric, const bool *off)
{
    while (metric != FM_METRIC_NONE && off[metric]) {
        metric = fm_metric_info(metric)->parent;
    }
    return metric != FM_METRIC_NONE && fm_metric_info(metric)->is_wait_state ? metric
                                                                             : FM_METRIC_NONE;
}

static void select_candidates(const fm_metric_t *instead, struct fm_findings *findings)
{
    size_t kept = 0;
    for (size_t i = 0; i < findings->candidates.count; ++i) {
        struct fm_candidate candidate = findings->candidates.items[i];
        const fm_metric_t metric = instead[candidate.metric];
        if (metric != FM_METRIC_NONE) {
            candidate.metric = (uint8_t)metric;
            findings->candidates.items[kept++] = candidate;
        }
    }
    findings->candidates.count = kept;
}

/* @return whether the part is still one */
static bool select_part(const fm_metric_t *instead, struct fm_part *part)
{
    const fm_metric_t metric = instead[part->metric];
    if (metric == FM_METRIC_NONE) {
        return false;
    }
    part->metric = (uint8_t)metric;
    if (part->kind == FM_PART_COMPLETION) {
        return true;
    }
    const fm_metric_t of = instead[part->of];
    if (of == FM_METRIC_NONE || of == metric) {
        return false;
    }
    part->of = (uint8_t)of;
    return true;
}

static void select_of_locations(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    const struct waits_selection *selection = context;
    const struct fm_trace *trace = selection->analysis->trace;
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        struct fm_findings *findings = &selection->analysis->findings[l];
        size_t kept = 0;
        select_candidates(selection->instead, findings);
        for (size_t i = 0; i < findings->parts.count; ++i) {
            struct fm_part part = findings->parts.items[i];
            if (select_part(selection->instead, &part)) {
                findings->parts.items[kept++] = part;
            }
        }
        findings->parts.count = kept;
    }
}

void fm_waits_select(struct fm_analysis *analysis, const bool *off)
{
    struct waits_selection selection = {.analysis = analysis};
    for (int m = 0; m < FM_METRIC_USER; ++m) {
        selection.instead[m] = off[m] ? find_other((fm_metric_t)m, off) : (fm_metric_t)m;
    }
    fm_engine_run(analysis->engine, select_of_locations, &selection);
}
