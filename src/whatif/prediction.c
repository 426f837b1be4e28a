/* SPDX-License-Identifier: BSD-3-Clause */
#include "whatif/prediction.h"

#include "base/memory.h"

fm_status_t fm_prediction_make(const struct fm_detail *detail, struct fm_decisions *decisions,
                               const fm_changes *changes, unsigned workers,
                               struct fm_prediction *prediction, struct fm_error *error)
{
    struct fm_prediction made = {
        .location_count = detail->trace->location_count,
        .edits = fm_allocate(detail->trace->location_count, sizeof *made.edits),
        .effects = fm_allocate(changes->count, sizeof *made.effects),
    };
    fm_status_t status = FM_OK;
    for (size_t c = 0; c < changes->count && status == FM_OK; c++) {
        status = fm_change_apply(&changes->items[c], detail, made.edits, &made.effects[c], error);
    }
    if (status != FM_OK) {
        fm_prediction_free(&made);
        return status;
    }
    made.replay =
        fm_replay_run(detail, made.edits, fm_decisions_begin(decisions, made.edits), workers);
    made.decisions = fm_decisions_count(decisions);
    fm_decisions_number(decisions, &made.renumbered);
    *prediction = made;
    return FM_OK;
}

void fm_prediction_free(struct fm_prediction *prediction)
{
    for (uint32_t l = 0; l < prediction->location_count; l++) {
        fm_edits_free(&prediction->edits[l]);
    }
    fm_vector_free(&prediction->renumbered);
    fm_free(prediction->edits);
    fm_free(prediction->effects);
    fm_replay_free(prediction->replay);
}
