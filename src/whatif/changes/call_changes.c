/* SPDX-License-Identifier: BSD-3-Clause */
#include "whatif/changes/call_changes.h"

#include "analysis/causes/charge.h"
#include "analysis/dependencies/dependencies.h"
#include "analysis/model/own_metric.h"
#include "cube/model/delay_kind.h"
#include "whatif/changes/phase_walk.h"

#include <string.h>

#define RULE(rule) (1U << FM_DEPENDS_ON_##rule)

/* A walk over the calls of a location that a change is about. */
struct walk {
    const struct fm_run_change *change;
    const struct fm_location *location;
    struct fm_phase_walk phases;
    uint64_t ordinal; /* of the next call, where there are no phases */
};

/* What a change of dependencies does to a call. */
struct freeing {
    uint32_t of;    /* calls that depend by these rules are concerned */
    uint32_t frees; /* rules that bind them no longer */
    uint32_t binds; /* rules that bind them now */
};

static struct freeing freeing_of(fm_change_kind_t kind)
{
    switch (kind) {
    case FM_CHANGE_NO_LOCK:
        return (struct freeing){RULE(LOCK) | RULE(THREAD_LOCK), RULE(LOCK) | RULE(THREAD_LOCK), 0};
    case FM_CHANGE_NARROW:
        return (struct freeing){RULE(COLLECTIVE), RULE(COLLECTIVE), RULE(PARTNER)};
    default:
        return (struct freeing){RULE(PROGRESS), RULE(PROGRESS), 0};
    }
}

/* @return whether a call, behind all calls asked for before, is of a selected iteration */
static bool is_selected(struct walk *walk, uint32_t activity)
{
    const uint64_t number =
        walk->phases.owner == NULL
            ? walk->ordinal++
            : fm_phase_walk_at(&walk->phases, walk->location->enter.items[activity]).number;
    return fm_ranges_have(&walk->change->iterations, number);
}

/* Frees and binds a call, on top of what earlier changes have left. */
static void free_call(struct fm_edits *edits, struct fm_edits *merged, size_t *kept,
                      uint32_t activity, struct freeing freeing)
{
    struct fm_freed_edit edit = {activity, FM_DORMANT_RULES};
    while (*kept < edits->freed.count && edits->freed.items[*kept].activity < activity) {
        fm_vector_push(&merged->freed, edits->freed.items[(*kept)++]);
    }
    if (*kept < edits->freed.count && edits->freed.items[*kept].activity == activity) {
        edit = edits->freed.items[(*kept)++];
    }
    edit.rules = (edit.rules | freeing.frees) & ~freeing.binds;
    fm_vector_push(&merged->freed, edit);
}

static void shorten_call(struct fm_edits *edits, struct fm_edits *merged, size_t *kept,
                         uint32_t activity)
{
    while (*kept < edits->remaining.count && edits->remaining.items[*kept].activity < activity) {
        fm_vector_push(&merged->remaining, edits->remaining.items[(*kept)++]);
    }
    *kept += *kept < edits->remaining.count && edits->remaining.items[*kept].activity == activity;
    fm_vector_push(&merged->remaining, (struct fm_remaining_edit){activity, 0, 1});
}

/* Moves the rest, and what was merged, to the edits. */
static void adopt(struct fm_edits *edits, struct fm_edits *merged, size_t kept_freed,
                  size_t kept_remaining)
{
    while (kept_freed < edits->freed.count) {
        fm_vector_push(&merged->freed, edits->freed.items[kept_freed++]);
    }
    while (kept_remaining < edits->remaining.count) {
        fm_vector_push(&merged->remaining, edits->remaining.items[kept_remaining++]);
    }
    fm_vector_free(&edits->freed);
    fm_vector_free(&edits->remaining);
    fm_vector_settle(&merged->freed, &edits->freed);
    fm_vector_settle(&merged->remaining, &edits->remaining);
    fm_vector_free(&merged->freed);
    fm_vector_free(&merged->remaining);
}

static void free_calls_of(struct walk *walk, const struct fm_detail *detail, uint32_t l,
                          const struct fm_call_selection *selection, struct fm_edits *edits,
                          struct fm_change_effect *effect)
{
    const struct freeing freeing = freeing_of(walk->change->kind);
    const fm_dependency_vector *dependencies = &detail->dependencies->of_location[l];
    const uint64_t before = effect->calls;
    struct fm_edits merged = {0};
    size_t kept = 0;
    uint32_t last = FM_NONE;
    for (size_t d = 0; d < dependencies->count; d++) {
        const struct fm_dependency *dependency = &dependencies->items[d];
        const struct fm_visit_profile *node =
            &walk->location->profile.items[walk->location->visit.items[dependency->activity]];
        if ((freeing.of >> dependency->rule & 1) == 0 || dependency->activity == last ||
            (walk->change->kind == FM_CHANGE_NARROW &&
             detail->trace->regions[node->region].call != FM_CALL_FENCE) ||
            !fm_call_is_selected(selection, detail->trace, l, dependency) ||
            !is_selected(walk, dependency->activity)) {
            continue;
        }
        last = dependency->activity;
        free_call(edits, &merged, &kept, last, freeing);
        effect->calls++;
    }
    adopt(edits, &merged, kept, 0);
    effect->locations += effect->calls != before;
}

void fm_calls_free(const struct fm_run_change *change, const struct fm_detail *detail,
                   const struct fm_call_selection *selection, struct fm_edits *edits,
                   struct fm_change_effect *effect)
{
    for (uint32_t l = 0; l < detail->trace->location_count; l++) {
        struct walk walk = {.change = change, .location = &detail->trace->locations[l]};
        if (fm_change_concerns(change, detail->trace, l)) {
            fm_phase_walk_begin(&walk.phases, detail->trace, l);
            free_calls_of(&walk, detail, l, selection, &edits[l], effect);
            fm_phase_walk_free(&walk.phases);
        }
    }
}

/* @return whether waits for progress take a thousandth of the time of all locations, or more */
static bool has_progress_waits(const struct fm_detail *detail)
{
    uint64_t waiting = 0, all = 0;
    for (uint32_t l = 0; l < detail->trace->location_count; l++) {
        const struct fm_location *location = &detail->trace->locations[l];
        const struct fm_findings *findings = &detail->findings[l];
        all += location->end > location->begin ? location->end - location->begin : 0;
        for (size_t w = 0; w < findings->waits.count; w++) {
            const struct fm_candidate *wait = &findings->candidates.items[findings->waits.items[w]];
            if (fm_charge_of(fm_delay_kind(wait->metric)) == FM_CHARGE_PROGRESS) {
                waiting += wait->t - fm_trace_begin(location, wait->activity);
            }
        }
    }
    return waiting != 0 && waiting >= all / 1000;
}

void fm_calls_free_of_idle_progress(const struct fm_detail *detail, struct fm_edits *edits)
{
    const struct fm_run_change change = {.kind = FM_CHANGE_NO_PROGRESS};
    struct fm_change_effect unused = {0};
    if (!has_progress_waits(detail)) {
        fm_calls_free(&change, detail, NULL, edits, &unused);
    }
}

bool fm_is_transfer(const struct fm_region *region)
{
    static const char *const roots[] = {"mpi_communication",   "mpi_synchronization",
                                        "shmem_communication", "shmem_synchronization",
                                        "armci_communication", "armci_synchronization",
                                        "caf_communication",   "caf_synchronization"};
    fm_metric_t metric = fm_own_metric(region);
    for (; metric != FM_METRIC_NONE; metric = fm_metric_info(metric)->parent) {
        for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
            if (strcmp(fm_metric_info(metric)->id, roots[i]) == 0) {
                return true;
            }
        }
    }
    return false;
}

void fm_calls_shorten(const struct fm_run_change *change, const struct fm_detail *detail,
                      struct fm_edits *edits, struct fm_change_effect *effect)
{
    const struct fm_trace *trace = detail->trace;
    const bool frees = change->kind == FM_CHANGE_INIT;
    bool *is_wanted = fm_allocate(trace->region_count, sizeof *is_wanted);
    for (uint32_t r = 0; r < trace->region_count; r++) {
        is_wanted[r] =
            frees ? trace->regions[r].call == FM_CALL_INIT : fm_is_transfer(&trace->regions[r]);
    }
    for (uint32_t l = 0; l < trace->location_count; l++) {
        struct walk walk = {.change = change, .location = &trace->locations[l]};
        struct fm_edits merged = {0};
        size_t kept_freed = 0, kept_remaining = 0;
        const uint64_t before = effect->calls;
        if (!fm_change_concerns(change, trace, l)) {
            continue;
        }
        fm_phase_walk_begin(&walk.phases, trace, l);
        for (uint32_t a = 0; a < walk.location->enter.count; a++) {
            if (!is_wanted[fm_trace_region(walk.location, a)] || !is_selected(&walk, a)) {
                continue;
            }
            shorten_call(&edits[l], &merged, &kept_remaining, a);
            if (frees) {
                free_call(&edits[l], &merged, &kept_freed, a,
                          (struct freeing){.frees = RULE(COLLECTIVE)});
            }
            effect->calls++;
        }
        adopt(&edits[l], &merged, kept_freed, kept_remaining);
        fm_phase_walk_free(&walk.phases);
        effect->locations += effect->calls != before;
    }
    fm_free(is_wanted);
}
