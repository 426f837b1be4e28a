/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of parameters in call trees. */
#include "trace/tables/trace_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *fm_trace_text(const struct fm_trace *trace, uint32_t number)
{
    const struct fm_trace_private *private = (const struct fm_trace_private *)trace;
    return number < private->text.count ? private->text.items[number] : "(unknown)";
}

char *fm_trace_callpath_name(const struct fm_trace *trace, const struct fm_callpath *node)
{
    const struct fm_region *region = &trace->regions[node->region];
    char *name = NULL;
    int length;
    if (node->kind == FM_CALLPATH_REGION) {
        return strdup(region->name);
    }
    if (node->kind == FM_CALLPATH_OTHERS) {
        length = asprintf(&name, "%s=(others)", region->name);
    } else if (region->parameter == FM_PARAMETER_TEXT) {
        length =
            asprintf(&name, "%s=%s", region->name, fm_trace_text(trace, (uint32_t)node->value));
    } else if (region->parameter != FM_PARAMETER_SIGNED) {
        length = asprintf(&name, "%s=%" PRIu64, region->name, node->value);
    } else {
        length = asprintf(&name, "%s=%" PRId64, region->name, (int64_t)node->value);
    }
    return length < 0 ? NULL : name;
}

/** Adds the counts of one node to those of another node of the location. */
static void add_counts(struct fm_location *location, uint32_t to, uint32_t from)
{
    struct fm_visit_profile *kept = &location->profile.items[to];
    uint32_t row = location->profile.items[from].counts;
    if (row == FM_NONE) {
        return;
    }
    if (kept->counts == FM_NONE) {
        kept->counts = row;
        return;
    }
    for (int i = 0; i < FM_COUNT_KINDS; i++) {
        location->counts.items[kept->counts].values[i] += location->counts.items[row].values[i];
    }
}

static void add_visit(struct fm_location *location, uint32_t to, uint32_t from)
{
    struct fm_visit_profile *kept = &location->profile.items[to];
    const struct fm_visit_profile *added = &location->profile.items[from];
    kept->time += added->time;
    kept->overhead += added->overhead;
    kept->visits += added->visits;
    kept->samples += added->samples;
    for (int i = 0; i < FM_STRETCH_TIME_COUNT; i++) {
        kept->processor_times[i] += added->processor_times[i];
    }
    add_counts(location, to, from);
}

static void renumber(uint32_t *visits, size_t count, const uint32_t *number)
{
    for (size_t i = 0; i < count; i++) {
        visits[i] = visits[i] == FM_NONE ? FM_NONE : number[visits[i]];
    }
}

static void renumber_estimates(struct fm_estimates *estimates, const uint32_t *number)
{
    for (size_t i = 0; i < estimates->samples.count; i++) {
        renumber(&estimates->samples.items[i].visit, 1, number);
    }
    for (size_t i = 0; i < estimates->blocks.count; i++) {
        renumber(&estimates->blocks.items[i].caller, 1, number);
    }
    for (size_t i = 0; i < estimates->paths.count; i++) {
        renumber(&estimates->paths.items[i].visit, 1, number);
    }
}

/** Keeps the first node of each call path. @param number  [node]: its new number */
static void compact(struct fm_location *location, const uint32_t *number, size_t kept)
{
    size_t count = location->profile.count;
    size_t next = 0;
    for (uint32_t v = 0; v < count; v++) {
        if (number[v] != next) {
            add_visit(location, number[v], v); /* number[v] < next: in its place already */
            continue;
        }
        location->profile.items[next] = location->profile.items[v];
        uint32_t *parent = &location->profile.items[next++].parent;
        *parent = *parent == FM_NONE ? FM_NONE : number[*parent];
    }
    location->profile.count = kept;
    renumber(location->visit.items, location->visit.count, number);
    renumber(location->state_visit.items, location->state_visit.count, number);
    renumber_estimates(&location->estimates, number);
    for (size_t i = 0; i < location->phases.count; i++) {
        location->phases.items[i].visit = number[location->phases.items[i].visit];
    }
    for (size_t i = 0; i < location->open.count; i++) {
        location->open.items[i].visit = number[location->open.items[i].visit];
    }
    for (size_t i = 0; i < location->growth.count; i++) {
        location->growth.items[i].visit = number[location->growth.items[i].visit];
    }
}

void fm_visits_fold(struct fm_trace *trace, size_t callpaths)
{
    uint32_t *first = fm_allocate(callpaths, sizeof *first);
    memset(first, 0xff, callpaths * sizeof *first);
    for (uint32_t l = 0; l < trace->location_count; l++) {
        struct fm_location *location = &trace->locations[l];
        uint32_t *number = fm_allocate(location->profile.count, sizeof *number);
        uint32_t kept = 0;
        for (size_t v = 0; v < location->profile.count; v++) {
            uint32_t *seen = &first[location->profile.items[v].callpath];
            *seen = *seen == FM_NONE ? kept++ : *seen;
            number[v] = *seen;
        }
        for (size_t v = 0; v < location->profile.count; v++) {
            first[location->profile.items[v].callpath] = FM_NONE;
        }
        if (kept < location->profile.count) {
            compact(location, number, kept);
        }
        fm_free(number);
    }
    fm_free(first);
}
