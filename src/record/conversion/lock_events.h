/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Acquisitions and releases of locks as events, and what a release tells of the time before it.
 * Private to src/record/conversion.
 *
 * An acquisition for which the thread did not wait is no event. If others wait, the release is one,
 * and tells when and in which function the lock was taken. That is a moment of which the stack is
 * known, as at an event: what samples found before it has ended by then, and what they find in the
 * hold began in it. Only long holds count so (half a period of the samples): few samples are in
 * short ones.
 */
#ifndef FERMATA_RECORD_CONVERSION_LOCK_EVENTS_H
#define FERMATA_RECORD_CONVERSION_LOCK_EVENTS_H

#include "record/conversion/convert_state.h"

/** Writes the event of a record ACQUIRE_LOCK, RELEASE_LOCK or RELEASE_NOTED_LOCK. */
void fm_lock_event(struct fm_thread *thread, const uint64_t *record);

/** Finds the hold that the next call ends, if it is long, and sets held_since and held_in.
 * @param records  from a CALL or SAMPLE on
 * @return the end of the records that were looked at */
const uint64_t *fm_lock_find_hold(struct fm_thread *thread, const uint64_t *records,
                                  const uint64_t *end);

/** @return whether the hold begins between the last event and one at `next`. */
static inline bool fm_lock_hold_begins(const struct fm_thread *thread, uint64_t next)
{
    return thread->held_since > thread->last_time && thread->held_since < next;
}

/** @return whether the innermost function on the stack is the one that took the lock. */
bool fm_lock_was_taken_by_innermost(const struct fm_thread *thread);

/** @return whether the innermost function has held the lock since before the last event. */
static inline bool fm_lock_is_held_by_innermost(const struct fm_thread *thread)
{
    return thread->held_since != 0 && thread->held_since <= thread->last_time &&
           fm_lock_was_taken_by_innermost(thread);
}

/** @return whether the function that took the lock is on the stack. */
bool fm_lock_was_taken_on_stack(const struct fm_thread *thread);

#endif
