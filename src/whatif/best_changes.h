/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Advice: which single changes, and which pairs of them, would shorten a run most.
 *
 * Tried are: the excess removed, and the work spread evenly, in each call path that computes and
 * carries at least 2 % of the delay costs or of the critical path, of call paths above others their
 * own computation only; where at most half of the locations execute it, that it takes no time; each
 * barrier removed; fences that wait for partners only; each call path that waited for locks freed
 * of them; ideal progress; the ideal network. Of the best five changes of the program, all pairs
 * are tried that change different places. Where the excess removed and the work spread evenly save
 * the same, the advice has the former.
 */
#ifndef FERMATA_WHATIF_BEST_CHANGES_H
#define FERMATA_WHATIF_BEST_CHANGES_H

#include "cube/model/cube.h"
#include "whatif/changes/change.h"
#include "whatif/prediction.h"

/** A prediction that was tried. */
struct fm_tried_change {
    fm_changes changes; /**< one or two */
    uint64_t run_time;  /**< predicted, ticks */
};

struct fm_advice {
    uint64_t measured;                         /**< run time, ticks */
    FM_VECTOR(struct fm_tried_change) singles; /**< ascending by run time */
    FM_VECTOR(struct fm_tried_change) pairs;   /**< likewise */
};

/** Tries changes.
 * @param cube    the report of the same analysis
 * @param detail  with dependencies
 * @return to be freed with fm_advice_free() */
struct fm_advice fm_advice_find(const struct fm_cube *cube, const struct fm_detail *detail,
                                unsigned workers);

void fm_advice_free(struct fm_advice *advice);

#endif
