/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * A prediction: what a run would be with changes (docs/whatif.md). */
#ifndef FERMATA_WHATIF_PREDICTION_H
#define FERMATA_WHATIF_PREDICTION_H

#include "analysis/replay/replay.h"
#include "whatif/changes/apply.h"
#include "whatif/decisions/decisions.h"

struct fm_prediction {
    struct fm_edits *edits; /**< [location] */
    uint32_t location_count;
    struct fm_change_effect *effects; /**< [change] */
    struct fm_replay *replay;
    struct fm_decision_counts decisions; /**< that it has taken */
    fm_renumbered_vector renumbered;     /**< acquisitions of locks of threads */
};

/** Predicts a run.
 * @param detail      with dependencies
 * @param decisions   of the same detail; used for one prediction at a time
 * @param changes     applied one after the other
 * @param workers     threads; 0: one for each processor
 * @param prediction  out: to be freed with fm_prediction_free(); set only on success
 * @return FM_ERR_USAGE: the run has nothing of what a change names */
fm_status_t fm_prediction_make(const struct fm_detail *detail, struct fm_decisions *decisions,
                               const fm_changes *changes, unsigned workers,
                               struct fm_prediction *prediction, struct fm_error *error);

void fm_prediction_free(struct fm_prediction *prediction);

#endif
