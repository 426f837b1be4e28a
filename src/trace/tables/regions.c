/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/tables/trace_internal.h"

#include "base/containers/sort.h"

#include <string.h>

struct numbered_region {
    const struct fm_region *region;
    uint32_t index;
};

static int compare_text(const char *a, const char *b)
{
    if (a == NULL || b == NULL) {
        return (a != NULL) - (b != NULL);
    }
    return strcmp(a, b);
}

/* 0 for the same region */
static int compare_identity(const struct fm_region *a, const struct fm_region *b)
{
    int order = strcmp(a->name, b->name);
    if (order == 0) {
        order = compare_text(a->file, b->file);
    }
    if (order == 0) {
        order = (a->line > b->line) - (a->line < b->line);
    }
    if (order == 0) {
        order = (a->paradigm > b->paradigm) - (a->paradigm < b->paradigm);
    }
    if (order == 0) {
        order = (a->parameter > b->parameter) - (a->parameter < b->parameter);
    }
    return order;
}

static int compare_regions(const void *a, const void *b)
{
    const struct numbered_region *left = a, *right = b;
    int order = compare_identity(left->region, right->region);
    return order != 0 ? order : (left->index > right->index) - (left->index < right->index);
}

void fm_regions_merge(struct fm_trace_private *trace)
{
    uint32_t count = trace->trace.region_count;
    struct numbered_region *sorted = fm_allocate(count, sizeof *sorted);
    uint32_t *merged_into = fm_allocate(count, sizeof *merged_into);
    for (uint32_t i = 0; i < count; ++i) {
        sorted[i] = (struct numbered_region){&trace->trace.regions[i], i};
    }
    fm_sort(sorted, count, sizeof *sorted, compare_regions);
    uint32_t first = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (compare_identity(sorted[first].region, sorted[i].region) != 0) {
            first = i;
        }
        merged_into[sorted[i].index] = sorted[first].index;
        struct fm_region *kept = &trace->trace.regions[sorted[first].index];
        kept->is_phase |= sorted[i].region->is_phase;
        kept->is_estimated |= sorted[i].region->is_estimated;
    }
    fm_references_redirect(&trace->regions, merged_into);
    fm_references_redirect(&trace->parameters, merged_into);
    fm_free(sorted);
    fm_free(merged_into);
}
