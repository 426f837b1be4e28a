/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/replicate.h"

#include <string.h>
#include <zlib.h>

/* ---- definitions ---- */

/* @return a hash of the definitions: their counts, and the locations' ids and sizes */
static uint64_t fingerprint(const struct fm_trace *trace)
{
    const uint64_t counts[] = {trace->region_count,     trace->process_count,
                               trace->location_count,   trace->communicator_count,
                               trace->window_count,     trace->group_count,
                               trace->ticks_per_second, trace->clock_begin};
    uint64_t sum = crc32_z(0, (const Bytef *)counts, sizeof counts);
    for (uint32_t l = 0; l < trace->location_count; ++l) {
        const uint64_t location[] = {trace->locations[l].id, trace->locations[l].defined_events};
        sum = crc32_z(sum, (const Bytef *)location, sizeof location);
    }
    return sum;
}

fm_status_t fm_replicate_check(struct fm_team *team, const struct fm_trace *trace, uint64_t options,
                               struct fm_error *error)
{
    uint64_t own = crc32_z(fingerprint(trace), (const Bytef *)&options, sizeof options);
    size_t bytes;
    uint64_t *all = fm_team_share(team, &own, sizeof own, &bytes);
    fm_status_t status = FM_OK;
    for (size_t i = 1; i < bytes / sizeof *all && status == FM_OK; ++i) {
        if (all[i] != all[0]) {
            status = fm_fail(error, FM_ERR_USAGE,
                             "%s: process %zu of the analysis was given another archive or other "
                             "options than process 0",
                             trace->anchor, i);
        }
    }
    fm_free(all);
    return status;
}

/* ---- events ---- */

/* Time span and size of a location. */
struct extent {
    uint64_t event_count;
    uint64_t begin, end;
};

static void replicate_extents(struct fm_engine *engine, struct fm_trace *trace)
{
    FM_VECTOR(struct extent) own = {0};
    FM_VECTOR(struct extent) all = {0};
    uint32_t first, last;
    fm_engine_own(engine, &first, &last);
    for (uint32_t l = fm_trace_first_location(trace, first);
         l < fm_trace_first_location(trace, last); ++l) {
        const struct fm_location *location = &trace->locations[l];
        fm_vector_push(&own,
                       (struct extent){location->event_count, location->begin, location->end});
    }
    fm_team_share_vector(fm_engine_team(engine), &own, &all);
    for (uint32_t l = 0; l < trace->location_count; ++l) {
        trace->locations[l].event_count = all.items[l].event_count;
        trace->locations[l].begin = all.items[l].begin;
        trace->locations[l].end = all.items[l].end;
    }
    fm_vector_free(&own);
    fm_vector_free(&all);
}

/* Merges the forests of all processes in their order, with the same result as if one process had
 * read all locations. `forests`: for each process a header node, whose `parent` is the number of
 * its nodes, followed by these nodes. */
static void merge_forests(const struct fm_callpath *forests, size_t count,
                          struct fm_callpaths *merged)
{
    for (size_t at = 0; at < count;) {
        uint32_t size = forests[at].parent;
        fm_callpaths_add_forest(merged, &forests[at + 1], size, NULL);
        at += 1 + (size_t)size;
    }
}

static void replicate_callpaths(struct fm_team *team, struct fm_trace *trace)
{
    FM_VECTOR(struct fm_callpath) own = {0};
    FM_VECTOR(struct fm_callpath) all = {0};
    struct fm_callpaths merged = {0};
    fm_vector_push(&own, (struct fm_callpath){.parent = (uint32_t)trace->callpaths.count});
    for (size_t i = 0; i < trace->callpaths.count; ++i) {
        fm_vector_push(&own, trace->callpaths.items[i]);
    }
    fm_team_collect_vector(team, &own, &all);
    merge_forests(all.items, all.count, &merged);
    size_t bytes;
    struct fm_callpath *forest = fm_team_spread(
        team, merged.nodes.items, merged.nodes.count * sizeof *merged.nodes.items, &bytes);
    fm_callpaths_free(&merged);
    fm_callpaths_add_forest(&merged, forest, bytes / sizeof *forest, NULL);
    fm_trace_adopt_callpaths(trace, &merged);
    fm_callpaths_free(&merged);
    fm_free(forest);
    fm_vector_free(&own);
    fm_vector_free(&all);
}

static void replicate_program_name(struct fm_team *team, struct fm_trace *trace)
{
    struct fm_program_name own = fm_trace_program_name(trace);
    size_t bytes;
    struct fm_program_name *all = fm_team_share(team, &own, sizeof own, &bytes);
    for (size_t i = 0; i < bytes / sizeof *all; ++i) {
        fm_trace_name_program(trace, all[i]);
    }
    fm_free(all);
}

void fm_replicate_trace(struct fm_engine *engine, struct fm_trace *trace)
{
    struct fm_team *team = fm_engine_team(engine);
    if (fm_team_size(team) == 1) {
        return;
    }
    replicate_extents(engine, trace);
    replicate_callpaths(team, trace);
    replicate_program_name(team, trace);
    uint64_t defects[sizeof trace->defects / sizeof(uint64_t)];
    memcpy(defects, &trace->defects, sizeof defects);
    fm_team_sum(team, defects, sizeof defects / sizeof *defects);
    memcpy(&trace->defects, defects, sizeof defects);
}
