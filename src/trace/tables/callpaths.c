/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/tables/callpaths.h"

#include "trace/tables/trace.h"

/** @return the number that stands for the value in keys; FM_NONE: the value is one too many. The
 * order of calls decides which values are kept. If forests are merged in the order of their
 * locations, these are the same values as those of one forest of all locations: a value among the
 * first N of all is among the first N of its part. */
static uint32_t number_of_value(struct fm_callpaths *callpaths, const struct fm_callpath *node)
{
    uint32_t number = fm_map_get(&callpaths->values, node->value);
    if (number != FM_MAP_ABSENT &&
        fm_map_get(&callpaths->calls, (uint64_t)number << 32 | node->region) != FM_MAP_ABSENT) {
        return number;
    }
    uint32_t *count = fm_map_at(&callpaths->counts, node->region, 0);
    if (*count == FM_PARAMETER_LIMIT) {
        return FM_NONE;
    }
    ++*count;
    return *fm_map_at(&callpaths->values, node->value, (uint32_t)callpaths->values.count);
}

uint32_t fm_callpaths_add(struct fm_callpaths *callpaths, const struct fm_callpath *node)
{
    struct fm_callpath added = *node;
    uint32_t detail = node->line;
    if (node->kind == FM_CALLPATH_VALUE) {
        detail = number_of_value(callpaths, node);
    }
    if (node->kind != FM_CALLPATH_REGION && detail == FM_NONE) {
        added.kind = FM_CALLPATH_OTHERS;
        added.value = 0;
    }
    uint32_t call = *fm_map_at(&callpaths->calls, (uint64_t)detail << 32 | node->region,
                               (uint32_t)callpaths->calls.count);
    uint32_t next = (uint32_t)callpaths->nodes.count;
    uint32_t found = *fm_map_at(&callpaths->index, (uint64_t)node->parent << 32 | call, next);
    if (found == next) {
        fm_vector_push(&callpaths->nodes, added);
    }
    return found;
}

void fm_callpaths_add_forest(struct fm_callpaths *callpaths, const struct fm_callpath *forest,
                             size_t count, uint32_t *number)
{
    uint32_t *numbers = number == NULL ? fm_allocate(count, sizeof *numbers) : number;
    for (size_t i = 0; i < count; ++i) {
        struct fm_callpath node = forest[i];
        node.parent = node.parent == FM_NONE ? FM_NONE : numbers[node.parent];
        numbers[i] = fm_callpaths_add(callpaths, &node);
    }
    if (number == NULL) {
        fm_free(numbers);
    }
}

void fm_callpaths_free(struct fm_callpaths *callpaths)
{
    fm_vector_free(&callpaths->nodes);
    fm_map_free(&callpaths->calls);
    fm_map_free(&callpaths->index);
    fm_map_free(&callpaths->values);
    fm_map_free(&callpaths->counts);
}

static bool is_library_code(const struct fm_region *region)
{
    return region->is_library && region->call == FM_CALL_USER;
}

uint32_t fm_trace_function_of(const struct fm_trace *trace, uint32_t callpath)
{
    uint32_t at = callpath;
    while (at != FM_NONE && is_library_code(&trace->regions[trace->callpaths.items[at].region])) {
        at = trace->callpaths.items[at].parent;
    }
    const bool is_called =
        at != FM_NONE && trace->regions[trace->callpaths.items[at].region].call == FM_CALL_USER;
    return is_called ? at : callpath;
}

uint32_t fm_trace_function_visit(const struct fm_trace *trace, const struct fm_location *location,
                                 uint32_t visit)
{
    const struct fm_visit_profile *profile = location->profile.items;
    uint32_t at = visit;
    while (at != FM_NONE && is_library_code(&trace->regions[profile[at].region])) {
        at = profile[at].parent;
    }
    const bool is_called = at != FM_NONE && trace->regions[profile[at].region].call == FM_CALL_USER;
    return is_called ? at : visit;
}
