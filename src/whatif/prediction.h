/** @file
 * A prediction: what a run would be with changes (docs/whatif.md). */
#ifndef FERMATA_WHATIF_PREDICTION_H
#define FERMATA_WHATIF_PREDICTION_H

#include "analysis/replay/replay.h"
#include "whatif/changes/apply.h"
#include "whatif/decisions/decisions.h"

/** Replays of a prediction that was asked for, of one of those that advice tries, and of one of the
 * report, until the decisions of the run are given up to be found. */
#define FM_REPLAYS_ASKED_FOR 64
#define FM_REPLAYS_OF_ADVICE 16
#define FM_REPLAYS_OF_REPORT 4

struct fm_prediction {
    struct fm_edits *edits; /**< [location] */
    uint32_t location_count;
    struct fm_change_effect *effects;    /**< [change] */
    struct fm_replay *replay;            /**< the last one */
    struct fm_decision_counts decisions; /**< that it follows */
    fm_renumbered_vector renumbered;     /**< acquisitions of locks of threads */
    unsigned replays;                    /**< how many there were */
    bool is_unsettled; /**< the times of the last one do not agree with its decisions */
};

/** Predicts a run.
 * @param detail      with dependencies
 * @param changes     applied one after the other
 * @param workers     threads; 0: one for each processor
 * @param most        replays, at least 1: the last one may then be unsettled
 * @param prediction  out: to be freed with fm_prediction_free(); set only on success
 * @return FM_ERR_USAGE: the run has nothing of what a change names */
fm_status_t fm_prediction_make(const struct fm_detail *detail, const fm_changes *changes,
                               unsigned workers, unsigned most, struct fm_prediction *prediction,
                               struct fm_error *error);

void fm_prediction_free(struct fm_prediction *prediction);

#endif
