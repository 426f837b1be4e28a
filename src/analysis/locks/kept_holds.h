/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What single holds of locks are: their calls, locks and names.
 */
#ifndef FERMATA_ANALYSIS_LOCKS_KEPT_HOLDS_H
#define FERMATA_ANALYSIS_LOCKS_KEPT_HOLDS_H

#include "analysis/locks/lock_queue.h"

/** Bytes that the name of a lock may need. */
#define FM_LOCK_NAME_SIZE 320

/** @return the activity of the hold's owner that requests the lock; FM_NONE: it has no record of
 * its own, as that of an uncontended lock of threads, or is one of another thread of the process.
 * O(log calls) */
uint32_t fm_kept_hold_call(const struct fm_trace *trace, const struct fm_kept_hold *kept);

/** @return whether two holds are of one lock. */
bool fm_kept_hold_same_lock(const struct fm_kept_hold *a, const struct fm_kept_hold *b);

/** Writes the name of the lock; of a window its name, or number, with the target. */
void fm_kept_hold_name(const struct fm_trace *trace, const struct fm_kept_hold *kept,
                       char name[FM_LOCK_NAME_SIZE]);

#endif
