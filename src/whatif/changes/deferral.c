/* SPDX-License-Identifier: BSD-3-Clause */
#include "whatif/changes/deferral.h"

#include "analysis/dependencies/dependencies.h"
#include "whatif/changes/callpath_selection.h"
#include "whatif/changes/phase_walk.h"

#include <stddef.h>
#include <stdlib.h>

#define ALL_RULES UINT32_MAX

/* The edits of a location: those of earlier changes, and what is added. */
struct deferring {
    struct fm_edits *edits;
    struct fm_edits merged;
    size_t kept_remaining, kept_freed, kept_deferred;
    FM_VECTOR(struct fm_deferred_edit)
    pending; /* calls that wait for the one that completes them */
};

static bool is_selected(const struct fm_location *location, uint32_t activity,
                        const uint8_t *selected)
{
    const uint32_t callpath = location->profile.items[location->visit.items[activity]].callpath;
    return callpath != FM_NONE && (selected[callpath] & FM_SELECTED_ITSELF) != 0;
}

static int compare_activities(const void *key, const void *edit)
{
    const uint32_t wanted = *(const uint32_t *)key, found = *(const uint32_t *)edit;
    return (wanted > found) - (wanted < found);
}

/* @return the edit of a call, whose first member is its activity; NULL: none */
static const void *find(const void *edits, size_t count, size_t size, uint32_t activity)
{
    return count == 0 ? NULL : bsearch(&activity, edits, count, size, compare_activities);
}

_Static_assert(offsetof(struct fm_remaining_edit, activity) == 0, "find() reads it there");
_Static_assert(offsetof(struct fm_freed_edit, activity) == 0, "find() reads it there");

/* Takes the edits of a call that is to be deferred: they go with it. */
static struct fm_deferred_edit take_edits(struct deferring *deferring, uint32_t activity)
{
    struct fm_edits *edits = deferring->edits;
    struct fm_deferred_edit edit = {
        .from = activity, .rules = FM_DORMANT_RULES, .numerator = 1, .denominator = 1};
    const struct fm_remaining_edit *remaining =
        find(edits->remaining.items, edits->remaining.count, sizeof *remaining, activity);
    const struct fm_freed_edit *freed =
        find(edits->freed.items, edits->freed.count, sizeof *freed, activity);
    if (remaining != NULL) {
        edit.numerator = remaining->numerator;
        edit.denominator = remaining->denominator;
    }
    if (freed != NULL) {
        edit.rules = freed->rules;
    }
    return edit;
}

static void keep_before(struct deferring *deferring, uint64_t activity)
{
    struct fm_edits *edits = deferring->edits, *merged = &deferring->merged;
    size_t *kept = &deferring->kept_remaining;
    for (; *kept < edits->remaining.count && edits->remaining.items[*kept].activity < activity;
         (*kept)++) {
        fm_vector_push(&merged->remaining, edits->remaining.items[*kept]);
    }
    kept = &deferring->kept_freed;
    for (; *kept < edits->freed.count && edits->freed.items[*kept].activity < activity; (*kept)++) {
        fm_vector_push(&merged->freed, edits->freed.items[*kept]);
    }
}

/* A deferred call only begins its work: it waits for nobody and takes no time. */
static void free_call(struct deferring *deferring, uint32_t activity)
{
    struct fm_edits *edits = deferring->edits, *merged = &deferring->merged;
    keep_before(deferring, activity);
    deferring->kept_remaining +=
        deferring->kept_remaining < edits->remaining.count &&
        edits->remaining.items[deferring->kept_remaining].activity == activity;
    deferring->kept_freed += deferring->kept_freed < edits->freed.count &&
                             edits->freed.items[deferring->kept_freed].activity == activity;
    fm_vector_push(&merged->remaining, (struct fm_remaining_edit){activity, 0, 1});
    fm_vector_push(&merged->freed, (struct fm_freed_edit){activity, ALL_RULES});
}

static void complete_at(struct deferring *deferring, uint32_t activity)
{
    struct fm_edits *edits = deferring->edits, *merged = &deferring->merged;
    size_t *kept = &deferring->kept_deferred;
    for (; *kept < edits->deferred.count && edits->deferred.items[*kept].at <= activity;
         (*kept)++) {
        fm_vector_push(&merged->deferred, edits->deferred.items[*kept]);
    }
    for (size_t i = 0; i < deferring->pending.count; i++) {
        struct fm_deferred_edit edit = deferring->pending.items[i];
        edit.at = activity;
        fm_vector_push(&merged->deferred, edit);
    }
    deferring->pending.count = 0;
}

/* Moves what was merged to the edits. */
static void adopt(struct deferring *deferring)
{
    struct fm_edits *edits = deferring->edits, *merged = &deferring->merged;
    keep_before(deferring, UINT64_MAX);
    deferring->pending.count = 0;
    complete_at(deferring, UINT32_MAX);
    fm_vector_free(&edits->remaining);
    fm_vector_free(&edits->freed);
    fm_vector_free(&edits->deferred);
    fm_vector_settle(&merged->remaining, &edits->remaining);
    fm_vector_settle(&merged->freed, &edits->freed);
    fm_vector_settle(&merged->deferred, &edits->deferred);
    fm_vector_free(&merged->remaining);
    fm_vector_free(&merged->freed);
    fm_vector_free(&merged->deferred);
    fm_vector_free(&deferring->pending);
}

/* Finds the calls with one behind them that completes them; only these are changed. */
static void defer_on(const struct fm_run_change *change, const struct fm_trace *trace, uint32_t l,
                     const uint8_t *selected, const uint8_t *completing, struct fm_edits *edits,
                     struct fm_change_effect *effect)
{
    const struct fm_location *location = &trace->locations[l];
    struct deferring deferring = {.edits = edits};
    struct fm_phase_walk phases = {0};
    const uint64_t before = effect->calls;
    uint64_t ordinal = 0;
    fm_phase_walk_begin(&phases, trace, l);
    for (uint32_t a = 0; a < location->enter.count; a++) {
        if (is_selected(location, a, completing) && deferring.pending.count != 0) {
            for (size_t i = 0; i < deferring.pending.count; i++) {
                free_call(&deferring, deferring.pending.items[i].from);
            }
            effect->calls += deferring.pending.count;
            complete_at(&deferring, a);
        }
        if (is_selected(location, a, selected)) {
            const uint64_t number =
                phases.owner == NULL ? ordinal++
                                     : fm_phase_walk_at(&phases, location->enter.items[a]).number;
            if (fm_ranges_have(&change->iterations, number)) {
                fm_vector_push(&deferring.pending, take_edits(&deferring, a));
            }
        }
    }
    adopt(&deferring);
    fm_phase_walk_free(&phases);
    effect->locations += effect->calls != before;
}

fm_status_t fm_calls_defer(const struct fm_run_change *change, const struct fm_detail *detail,
                           const uint8_t *selected, struct fm_edits *edits,
                           struct fm_change_effect *effect, struct fm_error *error)
{
    const struct fm_trace *trace = detail->trace;
    uint8_t *completing = NULL;
    if (fm_callpaths_select(trace, change->at, &completing) != 0) {
        for (uint32_t l = 0; l < trace->location_count; l++) {
            if (fm_change_concerns(change, trace, l)) {
                defer_on(change, trace, l, selected, completing, &edits[l], effect);
            }
        }
    }
    fm_free(completing);
    return effect->calls != 0
               ? FM_OK
               : fm_fail(error, FM_ERR_USAGE,
                         "%.200s: no such call has one behind it that could wait for it",
                         change->text);
}
