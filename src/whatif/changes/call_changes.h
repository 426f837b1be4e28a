/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Changes of calls: what they wait for, and their remaining time. */
#ifndef FERMATA_WHATIF_CHANGES_CALL_CHANGES_H
#define FERMATA_WHATIF_CHANGES_CALL_CHANGES_H

#include "whatif/changes/apply.h"
#include "whatif/changes/call_selection.h"

/** Frees calls of what they depend on: nolock of locks, noprogress-wait of the progress of targets,
 * narrow (fences) of processes that exchange no data with theirs.
 * @param selection  NULL: all
 * @param effect     its `calls` and `locations` count them */
void fm_calls_free(const struct fm_run_change *change, const struct fm_detail *detail,
                   const struct fm_call_selection *selection, struct fm_edits *edits,
                   struct fm_change_effect *effect);

/** Frees all calls of the progress of their targets, if next to nobody waited for it when measured.
 * To be called where calls are freed of locks: that a call ran into calls of its target while it
 * waited for a lock does not show that it needs them, but behind the change it would wait for
 * others. */
void fm_calls_free_of_idle_progress(const struct fm_detail *detail, struct fm_edits *edits);

/** Lets the remaining times of calls that complete messages, exposure epochs and non-blocking
 * collectives pass from the begin of the transfer on, as asynchronous progress does: of calls that
 * wait for the progress of partners, and of the partners' calls that complete the other side.
 * @param edits  [location]: the calls that they free of progress (fm_calls_free()) are concerned */
void fm_calls_overlap(const struct fm_detail *detail, struct fm_edits *edits);

/** Takes calls their remaining time: network=ideal those that communicate or synchronize processes,
 * init=0 those of Init, which are freed of the other processes, too. */
void fm_calls_shorten(const struct fm_run_change *change, const struct fm_detail *detail,
                      struct fm_edits *edits, struct fm_change_effect *effect);

/** @return whether a call of a region communicates or synchronizes processes. */
bool fm_is_transfer(const struct fm_region *region);

#endif
