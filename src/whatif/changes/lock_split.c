/* SPDX-License-Identifier: BSD-3-Clause */
#include "whatif/changes/lock_split.h"

#include "analysis/dependencies/dependencies.h"
#include "whatif/changes/phase_walk.h"

/* @return the dependency of the acquisition whose release another one depends on; NULL: it has none
 */
static const struct fm_dependency *dependency_before(const struct fm_detail *detail,
                                                     const struct fm_dependency *dependency)
{
    const uint32_t l = dependency->source.place, release = dependency->source.index;
    const fm_dependency_vector *own = &detail->dependencies->of_location[l];
    const uint32_t request =
        dependency->source.kind == FM_AWAITED_JUNCTION || dependency->source.kind == FM_AWAITED_MARK
            ? FM_NONE
            : fm_requesting_call(detail->trace, l, release);
    if (request == FM_NONE) {
        return NULL;
    }
    for (size_t d = fm_first_dependency(own, request);
         d < own->count && own->items[d].activity <= release; d++) {
        if (own->items[d].rule == FM_DEPENDS_ON_LOCK) {
            return &own->items[d];
        }
    }
    return NULL;
}

static void split_on(const struct fm_run_change *change, const struct fm_detail *detail, uint32_t l,
                     const struct fm_call_selection *selection, struct fm_edits *edits,
                     struct fm_change_effect *effect)
{
    const struct fm_location *location = &detail->trace->locations[l];
    const fm_dependency_vector *dependencies = &detail->dependencies->of_location[l];
    fm_redirected_vector merged = {0};
    struct fm_phase_walk phases = {0};
    const uint64_t before = effect->calls;
    uint64_t ordinal = 0;
    size_t kept = 0;
    fm_phase_walk_begin(&phases, detail->trace, l);
    for (size_t d = 0; d < dependencies->count; d++) {
        const struct fm_dependency *dependency = &dependencies->items[d];
        const uint32_t activity = dependency->activity;
        if (dependency->rule != FM_DEPENDS_ON_LOCK ||
            !fm_call_is_selected(selection, detail->trace, l, dependency)) {
            continue;
        }
        const uint64_t number =
            phases.owner == NULL
                ? ordinal++
                : fm_phase_walk_at(&phases, location->enter.items[activity]).number;
        if (!fm_ranges_have(&change->iterations, number)) {
            continue;
        }
        const struct fm_dependency *instead = dependency;
        for (uint64_t i = 1; i < change->numerator && instead != NULL; i++) {
            instead = dependency_before(detail, instead);
        }
        while (kept < edits->redirected.count && edits->redirected.items[kept].position < d) {
            fm_vector_push(&merged, edits->redirected.items[kept++]);
        }
        kept += kept < edits->redirected.count && edits->redirected.items[kept].position == d;
        struct fm_redirected_edit edit = {.position = (uint32_t)d, .binds = instead != NULL};
        if (instead != NULL) {
            edit.event = *instead;
        }
        fm_vector_push(&merged, edit);
        effect->calls++;
    }
    while (kept < edits->redirected.count) {
        fm_vector_push(&merged, edits->redirected.items[kept++]);
    }
    fm_vector_free(&edits->redirected);
    edits->redirected = merged;
    fm_phase_walk_free(&phases);
    effect->locations += effect->calls != before;
}

void fm_locks_split(const struct fm_run_change *change, const struct fm_detail *detail,
                    const struct fm_call_selection *selection, struct fm_edits *edits,
                    struct fm_change_effect *effect)
{
    for (uint32_t l = 0; l < detail->trace->location_count; l++) {
        if (fm_change_concerns(change, detail->trace, l)) {
            split_on(change, detail, l, selection, &edits[l], effect);
        }
    }
}
