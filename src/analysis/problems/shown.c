/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/problems/shown.h"

#include "analysis/problems/occasions.h"

#include <string.h>

/* The problems and their locations as two arrays that process 0 gives to all others. */
struct choice {
    FM_VECTOR(struct fm_shown_problem) items;
    FM_VECTOR(uint32_t) locations;
};

static void choose(const struct fm_problem_list *list, int64_t sum, struct choice *choice)
{
    for (size_t i = 0; i < list->items.count && i < FM_SHOWN_LIMIT; ++i) {
        const struct fm_cube_problem *problem = &list->items.items[i];
        if (problem->cost < fm_tenths_of(sum / (FM_SHOWN_PART / 10), 1)) {
            break;
        }
        struct fm_shown_problem shown = {
            .kind = problem->kind,
            .callpath = problem->callpath,
            .first = (uint32_t)choice->locations.count,
            .cost = problem->cost,
            .is_function = problem->is_function,
            .in_one_callpath = problem->in_one_callpath,
        };
        for (uint32_t l = 0; l < problem->location_count; ++l) {
            fm_vector_push(&choice->locations, problem->locations[l]);
        }
        shown.end = (uint32_t)choice->locations.count;
        fm_vector_push(&choice->items, shown);
    }
}

/* @return the problems that have a location in common with one, as a set of bits */
static uint32_t overlaps_of(const struct fm_shown_problems *shown, uint32_t number)
{
    const struct fm_shown_problem *problem = &shown->items[number];
    uint32_t overlaps = 0;
    for (uint32_t i = 0; i < shown->count; ++i) {
        const struct fm_shown_problem *other = &shown->items[i];
        const bool meet =
            fm_cube_locations_meet(shown->locations + problem->first, problem->end - problem->first,
                                   shown->locations + other->first, other->end - other->first);
        overlaps |= (uint32_t)meet << i;
    }
    return overlaps;
}

struct fm_shown_problems fm_shown_problems_choose(const struct fm_problem_list *list, int64_t sum,
                                                  struct fm_team *team)
{
    struct choice choice = {0};
    if (fm_team_leads(team)) {
        choose(list, sum, &choice);
    }
    size_t bytes;
    struct fm_shown_problems shown = {.unattributed = FM_NOT_SHOWN, .variation = FM_NOT_SHOWN};
    shown.items =
        fm_team_spread(team, choice.items.items, choice.items.count * sizeof *shown.items, &bytes);
    shown.count = (uint32_t)(bytes / sizeof *shown.items);
    shown.locations = fm_team_spread(team, choice.locations.items,
                                     choice.locations.count * sizeof *shown.locations, &bytes);
    shown.fates =
        fm_team_spread(team, list->fates.items, list->fates.count * sizeof *shown.fates, &bytes);
    shown.fate_count = bytes / sizeof *shown.fates;
    shown.members = fm_team_spread(team, list->members.items,
                                   list->members.count * sizeof *shown.members, &bytes);
    shown.member_count = bytes / sizeof *shown.members;
    for (size_t i = 0; i < shown.fate_count; ++i) {
        struct fm_lock_fate *fate = &shown.fates[i];
        fate->problem = fate->problem < shown.count ? fate->problem : FM_NONE;
    }
    for (uint32_t i = 0; i < shown.count; ++i) {
        shown.items[i].overlaps = overlaps_of(&shown, i);
        if (shown.items[i].kind == FM_CAUSE_UNATTRIBUTED) {
            shown.unattributed = (uint8_t)i;
        }
        if (shown.items[i].kind == FM_CAUSE_VARIATION) {
            shown.variation = (uint8_t)i;
        }
    }
    fm_vector_free(&choice.items);
    fm_vector_free(&choice.locations);
    return shown;
}

void fm_shown_problems_free(struct fm_shown_problems *shown)
{
    fm_free(shown->items);
    fm_free(shown->locations);
    fm_free(shown->fates);
    fm_free(shown->members);
}

static bool contains(const struct fm_shown_problems *shown, const struct fm_shown_problem *problem,
                     uint32_t location)
{
    uint32_t low = problem->first, high = problem->end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (shown->locations[middle] == location) {
            return true;
        }
        if (shown->locations[middle] < location) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return false;
}

bool fm_problem_is_at(const struct fm_trace *trace, uint32_t problem, bool in_all,
                      uint32_t callpath)
{
    if (!in_all || callpath == FM_NONE) {
        return callpath == problem;
    }
    const struct fm_callpath *at = &trace->callpaths.items[callpath];
    const struct fm_callpath *of = &trace->callpaths.items[problem];
    return at->region == of->region && at->line == of->line;
}

bool fm_shown_problem_is_at(const struct fm_shown_problem *problem, const struct fm_trace *trace,
                            uint32_t callpath)
{
    return fm_problem_is_at(trace, problem->callpath,
                            problem->is_function && !problem->in_one_callpath, callpath);
}

bool fm_shown_problems_of(const struct fm_shown_problems *shown, const struct fm_analysis *analysis,
                          uint32_t location, uint8_t *numbers)
{
    const struct fm_location *at = &analysis->trace->locations[location];
    bool found = shown->variation != FM_NOT_SHOWN;
    memset(numbers, FM_NOT_SHOWN, at->profile.count);
    numbers[at->profile.count] = shown->variation;
    for (uint32_t i = 0; i < shown->count; ++i) {
        const struct fm_shown_problem *problem = &shown->items[i];
        if (!contains(shown, problem, location)) {
            continue;
        }
        for (size_t v = 0; v < at->profile.count; ++v) {
            const struct fm_visit_profile *node = &at->profile.items[v];
            const uint32_t function = fm_trace_function_of(analysis->trace, node->callpath);
            if (fm_shown_problem_is_at(problem, analysis->trace, function) &&
                fm_cause_kind_of(analysis, analysis->trace->callpaths.items[function].region,
                                 FM_CHARGE_DELAY) == problem->kind) {
                numbers[v] = (uint8_t)i;
                found = true;
            }
        }
    }
    return found;
}

/* @return whether another imbalance of the same locations has a call path */
static bool is_other_at(const struct fm_shown_problems *shown, const struct fm_trace *trace,
                        uint32_t number, uint32_t callpath)
{
    for (uint32_t i = 0; i < shown->count; ++i) {
        if (i != number && shown->items[i].kind == FM_CAUSE_IMBALANCE &&
            (shown->items[number].overlaps >> i & 1) != 0 &&
            fm_shown_problem_is_at(&shown->items[i], trace, callpath)) {
            return true;
        }
    }
    return false;
}

bool fm_shown_problem_has(const struct fm_shown_problems *shown, const struct fm_analysis *analysis,
                          uint32_t number, uint32_t callpath)
{
    const struct fm_trace *trace = analysis->trace;
    const struct fm_shown_problem *problem = &shown->items[number];
    const uint32_t function = fm_trace_function_of(trace, callpath);
    for (uint32_t at = function; at != FM_NONE; at = trace->callpaths.items[at].parent) {
        if (fm_shown_problem_is_at(problem, trace, at)) {
            return at == function || problem->is_function;
        }
        if (is_other_at(shown, trace, number, at) ||
            analysis->own_metrics[trace->callpaths.items[at].region] != FM_METRIC_COMP) {
            return false;
        }
    }
    return false;
}

uint32_t fm_shown_problem_find(const struct fm_shown_problems *shown, const struct fm_trace *trace,
                               uint32_t kind, uint32_t callpath, uint32_t location)
{
    for (uint32_t i = 0; i < shown->count; ++i) {
        const struct fm_shown_problem *problem = &shown->items[i];
        if (problem->kind == kind &&
            (!fm_cause_has_callpath(kind) || (fm_shown_problem_is_at(problem, trace, callpath) &&
                                              contains(shown, problem, location)))) {
            return i;
        }
    }
    return FM_NONE;
}

struct assignment {
    const struct fm_shown_problems *shown;
    const struct fm_trace *trace;
    struct fm_blamed_waits *blamed;
};

/* @return the problem of a part of a wait state; FM_NONE: it is not shown */
static uint32_t problem_of(const struct assignment *assignment, const struct fm_blamed_wait *wait,
                           const struct fm_blamed_part *part)
{
    const struct fm_shown_problems *shown = assignment->shown;
    uint32_t kind = part->kind, callpath = part->callpath, location = part->location;
    if (kind == FM_CAUSE_CONTENTION) {
        const struct fm_lock_fate *fate =
            fm_lock_fate_of(shown->fates, shown->fate_count, wait->lock);
        if (fate->callpath == FM_NONE) {
            return fate->problem;
        }
        kind = FM_CAUSE_SERIALIZATION;
        callpath = fate->callpath;
        location = fm_lock_fate_location(fate, shown->members, shown->member_count, location);
    }
    return fm_shown_problem_find(shown, assignment->trace, kind, callpath, location);
}

static void assign(void *context, unsigned worker, uint32_t first, uint32_t last)
{
    (void)worker;
    const struct assignment *assignment = context;
    for (uint32_t l = fm_trace_first_location(assignment->trace, first);
         l < fm_trace_first_location(assignment->trace, last); ++l) {
        struct fm_blamed_waits *blamed = &assignment->blamed[l];
        for (size_t w = 0; w < blamed->waits.count; ++w) {
            const struct fm_blamed_wait *wait = &blamed->waits.items[w];
            for (uint32_t p = wait->first; p < wait->end; ++p) {
                struct fm_blamed_part *part = &blamed->parts.items[p];
                part->problem = problem_of(assignment, wait, part);
            }
        }
    }
}

void fm_shown_problems_assign(const struct fm_shown_problems *shown,
                              const struct fm_analysis *analysis, struct fm_blamed_waits *blamed)
{
    fm_engine_run(analysis->engine, assign, &(struct assignment){shown, analysis->trace, blamed});
}
