/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/hang/hang.h"

#include "analysis/hang/ends.h"
#include "analysis/hang/resolution.h"

#include "base/containers/sort.h"

#include <stdlib.h>
#include <string.h>

static int compare_parts(const void *a, const void *b)
{
    const struct fm_open_part *left = a, *right = b;
    if (left->location != right->location) {
        return left->location < right->location ? -1 : 1;
    }
    return left->number < right->number ? -1 : left->number > right->number;
}

/* ---- nodes ---- */

/* Adds the nodes of all locations, then of all processes. */
static void add_nodes(struct fm_resolution *resolution)
{
    const struct fm_trace *trace = resolution->analysis->trace;
    const struct fm_location_end *ends = resolution->ends->items;
    struct fm_wait_graph *graph = resolution->graph;
    for (uint32_t l = 0; l < trace->location_count; ++l) {
        fm_wait_graph_add(graph, ends[l].how == FM_END_WAITS ? ends[l].is_any
                                                             : ends[l].how != FM_END_IDLE);
        if (ends[l].how == FM_END_FREE) {
            fm_wait_graph_release(graph, l);
        }
    }
    for (uint32_t p = 0; p < trace->process_count; ++p) {
        const struct fm_process *process = &trace->processes[p];
        const uint32_t node = fm_wait_graph_add(graph, true);
        bool is_known = false;
        for (uint32_t t = process->location_count; t-- > 0;) {
            const uint32_t l = process->first_location + t;
            is_known |= ends[l].how != FM_END_NOTHING;
            if (ends[l].how == FM_END_IDLE) {
                fm_wait_graph_link(graph, l, process->first_location);
            } else if (ends[l].how != FM_END_NOTHING &&
                       (t == 0 || !ends[process->first_location].is_main)) {
                fm_wait_graph_link(graph, node, l);
            }
        }
        if (!is_known) {
            fm_wait_graph_release(graph, node); /* its records are missing */
        }
    }
}

/* ---- the result ---- */

static uint64_t since_begin(uint64_t time, uint64_t begin)
{
    return time > begin ? time - begin : 0;
}

typedef FM_VECTOR(struct fm_cube_hang_wait) fm_hang_waits;
typedef FM_VECTOR(struct fm_cube_hang_place) fm_hang_places;

/* Lists the locations in open calls with their parts, which are sorted by location, and where all
 * others are. */
static void list_locations(struct fm_resolution *resolution, uint64_t begin, fm_hang_waits *waits,
                           fm_hang_places *places)
{
    const struct fm_trace *trace = resolution->analysis->trace;
    uint32_t part = 0;
    for (uint32_t l = 0; l < trace->location_count; ++l) {
        const struct fm_location_end *end = &resolution->ends->items[l];
        const uint32_t callpath = end->callpath == FM_NONE ? FM_CUBE_NONE : end->callpath;
        const uint32_t first = part;
        for (; part < resolution->parts->count && resolution->parts->items[part].location == l;
             ++part) {
            fm_wait_graph_link(resolution->graph, l,
                               fm_resolve_part(resolution, &resolution->parts->items[part]));
        }
        if (end->is_open) {
            fm_vector_push(waits, ((struct fm_cube_hang_wait){
                                      .location = l,
                                      .callpath = callpath,
                                      .since = since_begin(end->since, begin),
                                      .counts = end->how == FM_END_WAITS,
                                      .is_any = end->is_any,
                                      .first_part = first,
                                      .part_count = part - first,
                                  }));
        } else if (end->how != FM_END_NOTHING) {
            fm_vector_push(places,
                           ((struct fm_cube_hang_place){l, callpath, end->how == FM_END_ENDED}));
        }
    }
}

/* @return whether a target of a location has ended: a thread of its process, or a process */
static bool has_ended(const struct fm_resolution *resolution, uint32_t location, uint32_t target)
{
    const struct fm_trace *trace = resolution->analysis->trace;
    const struct fm_location_end *ends = resolution->ends->items;
    const struct fm_process *process = &trace->processes[trace->locations[target].process];
    const bool is_thread = trace->locations[location].process == trace->locations[target].process;
    const uint32_t first = is_thread ? target : process->first_location;
    const uint32_t end = is_thread ? target + 1 : first + process->location_count;
    for (uint32_t l = first; l < end; ++l) {
        if (ends[l].how != FM_END_ENDED && ends[l].how != FM_END_NOTHING) {
            return false;
        }
    }
    return true;
}

/* Notes which parts wait for what has ended. They are in the order of `parts`. */
static void note_ended(struct fm_resolution *resolution)
{
    for (size_t i = 0; i < resolution->found.count; ++i) {
        struct fm_cube_hang_part *part = &resolution->found.items[i];
        const struct fm_cube_hang_part *last = i == 0 ? part : part - 1;
        const uint32_t location = resolution->parts->items[i].location;
        if (last != part && last->first_target == part->first_target &&
            last->target_count == part->target_count && !part->is_others) {
            part->is_never |= last->is_never; /* they share their targets */
            continue;
        }
        bool all = part->target_count != 0;
        for (uint32_t t = 0; t < part->target_count && all; ++t) {
            const uint32_t target = resolution->targets.items[part->first_target + t];
            all =
                (part->is_others && target == location) || has_ended(resolution, location, target);
        }
        part->is_never |= all;
    }
}

/* Decides about the waits, which the graph contains. */
static void judge(struct fm_resolution *resolution, fm_hang_waits *waits, fm_wait_cycle *cycle)
{
    struct fm_cube_hang *hang = resolution->hang;
    bool counts = false, is_stuck = false;
    fm_wait_graph_solve(resolution->graph);
    for (size_t i = 0; i < waits->count; ++i) {
        struct fm_cube_hang_wait *wait = &waits->items[i];
        wait->is_stuck = wait->counts && !fm_wait_graph_is_free(resolution->graph, wait->location);
        counts |= wait->counts;
        is_stuck |= wait->is_stuck;
    }
    if (is_stuck) {
        fm_wait_graph_cycle(resolution->graph, resolution->analysis->trace->location_count, cycle);
    }
    hang->kind = !counts             ? FM_HANG_NONE
                 : !is_stuck         ? FM_HANG_NO_PROGRESS
                 : cycle->count != 0 ? FM_HANG_DEADLOCK
                                     : FM_HANG_MISSING;
}

static uint64_t begin_of_run(const struct fm_trace *trace)
{
    uint64_t begin = UINT64_MAX;
    for (uint32_t l = 0; l < trace->location_count; ++l) {
        const struct fm_location *location = &trace->locations[l];
        begin = location->event_count != 0 && location->begin < begin ? location->begin : begin;
    }
    return begin;
}

/* Builds and solves the graph. All locations have their ends. */
static struct fm_cube_hang *solve(const struct fm_analysis *analysis, const fm_location_ends *ends,
                                  const fm_open_parts *parts, const struct fm_hang_facts *facts)
{
    struct fm_cube_hang *hang = fm_allocate(1, sizeof *hang);
    struct fm_wait_graph graph = {0};
    fm_hang_waits waits = {0};
    fm_hang_places places = {0};
    fm_wait_cycle cycle = {0};
    struct fm_resolution resolution = {.analysis = analysis,
                                       .ends = ends,
                                       .parts = parts,
                                       .facts = facts,
                                       .graph = &graph,
                                       .hang = hang};
    const uint64_t begin = begin_of_run(analysis->trace);
    hang->open_ends = analysis->open_ends;
    for (size_t i = 0; i < ends->count; ++i) {
        const struct fm_location_end *end = &ends->items[i];
        const uint64_t since = end->how == FM_END_WAITS ? since_begin(end->since, begin) : 0;
        hang->since = since > hang->since ? since : hang->since;
    }
    add_nodes(&resolution);
    list_locations(&resolution, begin, &waits, &places);
    judge(&resolution, &waits, &cycle);
    note_ended(&resolution);
    hang->waits = waits.items;
    hang->wait_count = (uint32_t)waits.count;
    hang->parts = resolution.found.items;
    hang->part_count = (uint32_t)resolution.found.count;
    hang->targets = resolution.targets.items;
    hang->target_count = (uint32_t)resolution.targets.count;
    hang->cycle = cycle.items;
    hang->cycle_count = (uint32_t)cycle.count;
    hang->places = places.items;
    hang->place_count = (uint32_t)places.count;
    fm_vector_free(&resolution.sets);
    fm_vector_free(&resolution.chains);
    fm_map_free(&resolution.set_of);
    fm_map_free(&resolution.chains_of);
    fm_wait_graph_free(&graph);
    return hang;
}

struct fm_cube_hang *fm_hang_find(const struct fm_analysis *analysis)
{
    if (analysis->open_ends == 0) {
        return NULL;
    }
    struct fm_team *team = analysis->team;
    fm_location_ends own_ends = {0}, ends = {0};
    fm_open_parts own_parts = {0}, parts = {0};
    struct fm_hang_facts facts = {0};
    struct fm_cube_hang *hang = NULL;
    fm_location_ends_find(analysis, &own_ends);
    fm_open_parts_find(analysis, &own_ends, &own_parts);
    fm_team_share_vector(team, &own_parts, &parts);
    for (uint32_t i = 0; i < parts.count; ++i) {
        parts.items[i].number = i;
    }
    fm_sort(parts.items, parts.count, sizeof *parts.items, compare_parts);
    fm_team_collect_vector(team, &own_ends, &ends);
    fm_hang_facts_collect(analysis, &parts, &facts);
    if (fm_team_leads(team)) {
        hang = solve(analysis, &ends, &parts, &facts);
    }
    fm_hang_facts_free(&facts);
    fm_vector_free(&own_ends);
    fm_vector_free(&ends);
    fm_vector_free(&own_parts);
    fm_vector_free(&parts);
    return hang;
}

void fm_hang_free(struct fm_cube_hang *hang)
{
    if (hang == NULL) {
        return;
    }
    for (uint32_t i = 0; i < hang->part_count; ++i) {
        fm_free(hang->parts[i].object);
        fm_free(hang->parts[i].note);
        fm_free(hang->parts[i].taken_in);
    }
    fm_free(hang->waits);
    fm_free(hang->parts);
    fm_free(hang->targets);
    fm_free(hang->cycle);
    fm_free(hang->places);
    fm_free(hang);
}
