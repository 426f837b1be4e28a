/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Locks of windows that are divided into several: split-lock. */
#ifndef FERMATA_WHATIF_CHANGES_LOCK_SPLIT_H
#define FERMATA_WHATIF_CHANGES_LOCK_SPLIT_H

#include "whatif/changes/apply.h"
#include "whatif/changes/call_selection.h"

/** Divides locks: in the measured order of the acquisitions of a lock, each waits for the release
 * that lies `change->numerator` acquisitions before it, or for none if there are not so many.
 * @param selection  of the calls that depend on a lock
 * @param effect     its `calls` and `locations` count them */
void fm_locks_split(const struct fm_run_change *change, const struct fm_detail *detail,
                    const struct fm_call_selection *selection, struct fm_edits *edits,
                    struct fm_change_effect *effect);

#endif
