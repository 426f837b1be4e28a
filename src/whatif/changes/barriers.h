/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The removal of barriers. */
#ifndef FERMATA_WHATIF_CHANGES_BARRIERS_H
#define FERMATA_WHATIF_CHANGES_BARRIERS_H

#include "whatif/changes/apply.h"

/** Removes the blocking barriers between processes that are called in the selected call paths.
 * @param selected  [node of the call forest]: FM_SELECTED_...
 * @param effect    its `calls` and `locations` count them */
void fm_barriers_remove(const struct fm_run_change *change, const struct fm_trace *trace,
                        const uint8_t *selected, struct fm_edits *edits,
                        struct fm_change_effect *effect);

#endif
