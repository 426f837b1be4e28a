/* SPDX-License-Identifier: BSD-3-Clause */
#include "whatif/changes/barriers.h"

#include "whatif/changes/callpath_selection.h"
#include "whatif/changes/phase_walk.h"

static void remove_at(const struct fm_run_change *change, const struct fm_trace *trace, uint32_t l,
                      const uint8_t *selected, struct fm_edits *edits,
                      struct fm_change_effect *effect)
{
    const struct fm_location *location = &trace->locations[l];
    struct fm_edits merged = {0};
    struct fm_phase_walk iterations = {0};
    uint64_t ordinal = 0;
    const uint64_t before = effect->calls;
    size_t kept = 0;
    fm_phase_walk_begin(&iterations, trace, l);
    for (size_t c = 0; c < location->collectives.count; c++) {
        const struct fm_collective *part = &location->collectives.items[c];
        const struct fm_visit_profile *node =
            &location->profile.items[location->visit.items[part->start]];
        if (part->non_blocking || node->callpath == FM_NONE ||
            trace->regions[node->region].call != FM_CALL_BARRIER ||
            (selected[node->callpath] & FM_SELECTED_WITHIN) == 0) {
            continue;
        }
        const uint64_t number =
            iterations.owner == NULL
                ? ordinal++
                : fm_phase_walk_at(&iterations, location->enter.items[part->start]).number;
        if (!fm_ranges_have(&change->iterations, number)) {
            continue;
        }
        while (kept < edits->removed.count && edits->removed.items[kept] < part->start) {
            fm_vector_push(&merged.removed, edits->removed.items[kept++]);
        }
        kept += kept < edits->removed.count && edits->removed.items[kept] == part->start;
        fm_vector_push(&merged.removed, part->start);
        effect->calls++;
    }
    while (kept < edits->removed.count) {
        fm_vector_push(&merged.removed, edits->removed.items[kept++]);
    }
    fm_vector_free(&edits->removed);
    edits->removed = merged.removed;
    fm_phase_walk_free(&iterations);
    effect->locations += effect->calls != before;
}

void fm_barriers_remove(const struct fm_run_change *change, const struct fm_trace *trace,
                        const uint8_t *selected, struct fm_edits *edits,
                        struct fm_change_effect *effect)
{
    for (uint32_t l = 0; l < trace->location_count; l++) {
        remove_at(change, trace, l, selected, &edits[l], effect);
    }
}
