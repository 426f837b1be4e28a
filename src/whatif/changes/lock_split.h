/** @file
 * Locks of windows that are divided into several: split-lock. */
#ifndef FERMATA_WHATIF_CHANGES_LOCK_SPLIT_H
#define FERMATA_WHATIF_CHANGES_LOCK_SPLIT_H

#include "whatif/changes/apply.h"

/** @return the call by which a location requested the lock that it has in an activity; FM_NONE: it
 * is not known. Of several locks at once, the one requested last. */
uint32_t fm_requesting_call(const struct fm_trace *trace, uint32_t location, uint32_t activity);

/** Divides locks: in the measured order of the acquisitions of a lock, each waits for the release
 * that lies `change->numerator` acquisitions before it, or for none if there are not so many.
 * @param selected  [node of the call forest]: FM_SELECTED_...: calls that depend on a lock
 * @param effect    its `calls` and `locations` count them */
void fm_locks_split(const struct fm_run_change *change, const struct fm_detail *detail,
                    const uint8_t *selected, struct fm_edits *edits,
                    struct fm_change_effect *effect);

#endif
