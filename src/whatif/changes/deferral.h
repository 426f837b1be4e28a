/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Blocking calls that do not block, but a later call waits for them at its begin: nowait. */
#ifndef FERMATA_WHATIF_CHANGES_DEFERRAL_H
#define FERMATA_WHATIF_CHANGES_DEFERRAL_H

#include "whatif/changes/apply.h"

/** Lets the next call of `change->at` on the same location wait for each selected call. A call with
 * none behind it stays as it is.
 * @param selected  [node of the call forest]: FM_SELECTED_...
 * @param effect    its `calls` and `locations` count the calls that do not block
 * @return FM_ERR_USAGE: there is no such call */
fm_status_t fm_calls_defer(const struct fm_run_change *change, const struct fm_detail *detail,
                           const uint8_t *selected, struct fm_edits *edits,
                           struct fm_change_effect *effect, struct fm_error *error);

#endif
