/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Visits of functions and marked regions, from changes of the call stack, marks and samples.
 * Private to src/record/conversion.
 *
 * Between two events it is only known that the functions on both stacks were
 * active at both. The innermost of them may have returned in between and been called again, and the
 * time may have passed in a function that its caller called. It counts as one visit only if
 *  - the last event is a sample, and the next event is so near that no sample could be taken since,
 *  - or the next event releases a lock which it has held since before the last event,
 *  - or it has gone forward in its code, and the time is short,
 *  - or the time is so short that it does not matter.
 * Otherwise the visit ends at the earlier event and another one begins at the later event
 * (fm_path_doubt): the time belongs to the caller.
 */
#ifndef FERMATA_RECORD_CONVERSION_VISITS_H
#define FERMATA_RECORD_CONVERSION_VISITS_H

#include "record/conversion/convert_state.h"
#include "record/conversion/lock_events.h"

/** @return whether the time before an event belongs to the functions of the sample before it. */
static inline bool fm_visits_are_sampled(const struct fm_thread *thread, uint64_t next)
{
    return thread->sampled != 0 && thread->sampled == thread->last_time &&
           next - thread->last_time <= thread->sample_reach;
}

/** Decides whether the functions on the stack at the last event and at the next one are in the same
 * visits. */
static inline void fm_visits_compare(struct fm_thread *thread, uint64_t next)
{
    uint64_t time = next - thread->last_time;
    if (thread->visits_compared) {
        thread->visits_compared = false;
    } else if (time > fm_convert_state.visit_anywhere && !fm_visits_are_sampled(thread, next) &&
               (time > fm_convert_state.visit_ahead ||
                !fm_path_is_ahead(&thread->path, fm_convert_state.callsites)) &&
               !fm_lock_is_held_by_innermost(thread)) {
        fm_path_doubt(&thread->path);
    }
}

/** The number in events of a region of the program's definitions; FM_CALLSITE_UNKNOWN: of code that
 * is not known. FM_DEFINE_NONE without memory. */
uint32_t fm_visits_region_number(uint32_t region);

/** Writes the Leaves and Enters of functions due before an event. */
void fm_visits_change(struct fm_thread *thread, uint64_t next);

/** Brings the path up to date before an event. */
static inline void fm_visits_settle(struct fm_thread *thread, uint64_t next)
{
    fm_visits_compare(thread, next);
    if (!fm_path_is_settled(&thread->path)) {
        fm_visits_change(thread, next);
    }
}

/** Brings the path up to date before an event that the program does not call: the writing of a full
 * buffer, the end of a thread. An instrumented function that has reported its end and still is on
 * the stack is not entered again. */
void fm_visits_settle_uncalled(struct fm_thread *thread, uint64_t next);

/** A region or an instrumented function begins.
 * @param header  of the record, REGION_ENTER or FUNCTION_ENTER */
void fm_visits_begin_region(struct fm_thread *thread, uint64_t header, uint64_t time);

/** A region or instrumented functions end.
 * @param header  of the record, REGION_LEAVE or FUNCTION_LEAVE */
void fm_visits_end_region(struct fm_thread *thread, uint64_t header, uint64_t time);

/** Ends all marked regions except the outer `count`. */
void fm_visits_end_marked_behind(struct fm_thread *thread, uint32_t count, uint64_t time);

/** Ends all instrumented functions except the outer `count`. */
void fm_visits_leave_functions(struct fm_thread *thread, uint32_t count, uint64_t time);

/** Ends all open regions. */
void fm_visits_end_all(struct fm_thread *thread, uint64_t time);

/** Changes the stack by a STACK or STACK_SITE record; the change takes effect at the next event.
 * The path is known to be that deep. */
void fm_visits_change_stack(struct fm_thread *thread, uint64_t header);

/** Brings the path up to date by a sample. The stack is assumed to be unchanged since the last
 * event, the last lost sample, `since` or the begin of the hold that the sample lies in
 * (lock_events.h), whichever is latest: new functions begin then. Functions that are gone end at
 * the last event; if that is a sample shortly before the hold, at the begin of the hold. */
void fm_visits_sample(struct fm_thread *thread, uint64_t time, uint64_t since, uint32_t reach);

#endif
