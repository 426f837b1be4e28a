/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Changes as edits of the locations. */
#ifndef FERMATA_WHATIF_CHANGES_APPLY_H
#define FERMATA_WHATIF_CHANGES_APPLY_H

#include "analysis/detail.h"
#include "analysis/replay/edits.h"
#include "whatif/changes/change.h"

/** What a change does before anything is replayed. */
struct fm_change_effect {
    uint32_t locations;     /**< with computation or calls that it is about */
    uint64_t before, after; /**< ticks of the computation that it is about, of all locations */
    uint64_t calls;         /**< whose remaining time it scales, which it removes or frees */
    double error;           /**< LATENCY, BANDWIDTH: mean difference between the model and the
                                 remaining time of calls, relative to that */
    bool is_of_totals; /**< LEVEL, BALANCE: the iterations of locations cannot be paired; totals of
                            the run are compared */
};

/** Applies a change to what earlier changes have left.
 * @param edits   [location], in and out
 * @param effect  out
 * @return FM_ERR_USAGE: the run has nothing of what the change names */
fm_status_t fm_change_apply(const struct fm_run_change *change, const struct fm_detail *detail,
                            struct fm_edits *edits, struct fm_change_effect *effect,
                            struct fm_error *error);

#endif
