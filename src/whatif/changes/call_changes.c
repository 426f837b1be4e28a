/* SPDX-License-Identifier: BSD-3-Clause */
#include "whatif/changes/call_changes.h"

#include "analysis/causes/charge.h"
#include "analysis/dependencies/dependencies.h"
#include "analysis/model/call_ref.h"
#include "analysis/model/own_metric.h"
#include "cube/model/delay_kind.h"
#include "whatif/changes/phase_walk.h"

#include <stdlib.h>
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

/* ---- transfers behind computation ---- */

/* By which the two sides of a transfer depend on each other. */
#define OF_PARTNER    (RULE(SENDER) | RULE(RECEIVER) | RULE(COMPLETE))
#define OF_COLLECTIVE (RULE(COLLECTIVE) | RULE(ROOT) | RULE(CONTRIBUTION) | RULE(SCAN))

/* The calls of a location, of which some complete what goes on before they are entered. */
struct calls {
    uint32_t *since;     /* [activity]: the last call that has begun what it completes; FM_NONE */
    bool *is_overlapped; /* [activity] */
};

static void note_begin(struct calls *calls, uint32_t l, uint32_t start, uint32_t complete_location,
                       uint32_t complete)
{
    if (complete_location == l && complete < FM_UNRECORDED && start < complete &&
        (calls->since[complete] == FM_NONE || calls->since[complete] < start)) {
        calls->since[complete] = start;
    }
}

static void list_begins(const struct fm_location *location, uint32_t l, struct calls *calls)
{
    for (size_t i = 0; i < location->sends.count; i++) {
        const struct fm_message_end *send = &location->sends.items[i];
        note_begin(calls, l, send->start, send->complete_location, send->complete);
    }
    for (size_t i = 0; i < location->receives.count; i++) {
        const struct fm_message_end *receive = &location->receives.items[i];
        note_begin(calls, l, receive->start, receive->complete_location, receive->complete);
    }
    for (size_t i = 0; i < location->collectives.count; i++) {
        const struct fm_collective *part = &location->collectives.items[i];
        if (part->non_blocking) {
            note_begin(calls, l, part->start, part->complete_location, part->complete);
        }
    }
}

static int compare_activities(const void *key, const void *edit)
{
    const uint32_t wanted = *(const uint32_t *)key;
    const struct fm_freed_edit *found = edit;
    return (wanted > found->activity) - (wanted < found->activity);
}

static bool is_freed(const struct fm_edits *edits, uint32_t activity)
{
    const struct fm_freed_edit *found =
        edits->freed.count == 0 ? NULL
                                : bsearch(&activity, edits->freed.items, edits->freed.count,
                                          sizeof *edits->freed.items, compare_activities);
    return found != NULL && (found->rules & RULE(PROGRESS)) != 0;
}

/* @return whether a call depends on a process as the other side of a transfer, or on the members of
 * a collective */
static bool depends_on(const struct fm_detail *detail, struct fm_call_ref call, uint32_t process)
{
    const fm_dependency_vector *of = &detail->dependencies->of_location[call.location];
    for (size_t d = fm_first_dependency(of, call.activity);
         d < of->count && of->items[d].activity == call.activity; d++) {
        const struct fm_dependency *dependency = &of->items[d];
        if ((OF_COLLECTIVE >> dependency->rule & 1) != 0 ||
            ((OF_PARTNER >> dependency->rule & 1) != 0 &&
             dependency->source.kind == FM_AWAITED_ENTER &&
             fm_trace_process(detail->trace, dependency->source.place) == process)) {
            return true;
        }
    }
    return false;
}

/* @return whether a call completes what goes on before: what an earlier one has begun, or what a
 * partner completes */
static bool completes(const struct fm_detail *detail, const struct calls *calls,
                      struct fm_call_ref call)
{
    const fm_dependency_vector *of = &detail->dependencies->of_location[call.location];
    if (calls[call.location].since[call.activity] != FM_NONE) {
        return true;
    }
    for (size_t d = fm_first_dependency(of, call.activity);
         d < of->count && of->items[d].activity == call.activity; d++) {
        if (of->items[d].rule == FM_DEPENDS_ON_COMPLETE) {
            return true;
        }
    }
    return false;
}

/* Notes the calls that wait for progress, and those that serve them. */
static void note_calls(const struct fm_detail *detail, const struct fm_edits *edits, uint32_t l,
                       struct calls *calls)
{
    const fm_dependency_vector *of = &detail->dependencies->of_location[l];
    const uint32_t process = fm_trace_process(detail->trace, l);
    for (size_t d = 0; d < of->count; d++) {
        const struct fm_dependency *dependency = &of->items[d];
        const struct fm_call_ref own = {l, dependency->activity};
        const struct fm_call_ref serving = {dependency->source.place, dependency->source.index};
        if (dependency->rule != FM_DEPENDS_ON_PROGRESS ||
            dependency->source.kind != FM_AWAITED_ENTER ||
            !is_freed(&edits[l], dependency->activity)) {
            continue;
        }
        if (completes(detail, calls, own)) {
            calls[l].is_overlapped[own.activity] = true;
        }
        if (completes(detail, calls, serving) && depends_on(detail, serving, process)) {
            calls[serving.location].is_overlapped[serving.activity] = true;
        }
    }
}

void fm_calls_overlap(const struct fm_detail *detail, struct fm_edits *edits)
{
    const struct fm_trace *trace = detail->trace;
    struct calls *calls = fm_allocate(trace->location_count, sizeof *calls);
    for (uint32_t l = 0; l < trace->location_count; l++) {
        const size_t count = trace->locations[l].enter.count;
        calls[l].since = fm_allocate(count, sizeof *calls[l].since);
        calls[l].is_overlapped = fm_allocate(count, sizeof *calls[l].is_overlapped);
        for (size_t a = 0; a < count; a++) {
            calls[l].since[a] = FM_NONE;
        }
        list_begins(&trace->locations[l], l, &calls[l]);
    }
    for (uint32_t l = 0; l < trace->location_count; l++) {
        note_calls(detail, edits, l, calls);
    }
    for (uint32_t l = 0; l < trace->location_count; l++) {
        edits[l].overlapped.count = 0;
        for (uint32_t a = 0; a < trace->locations[l].enter.count; a++) {
            if (calls[l].is_overlapped[a]) {
                fm_vector_push(&edits[l].overlapped,
                               (struct fm_overlapped_edit){a, calls[l].since[a]});
            }
        }
        fm_free(calls[l].since);
        fm_free(calls[l].is_overlapped);
    }
    fm_free(calls);
}

/* ---- remaining times ---- */

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
