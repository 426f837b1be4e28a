/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What the files of the builder share. Private to src/trace/builder. Functions that run for each
 * event are inline.
 */
#ifndef FERMATA_TRACE_BUILDER_BUILDER_INTERNAL_H
#define FERMATA_TRACE_BUILDER_BUILDER_INTERNAL_H

#include "trace/builder/builder.h"

/** @return the node of the innermost open region; FM_NONE: none. */
static inline uint32_t fm_builder_innermost(const struct fm_builder *builder)
{
    return builder->frames.count == 0 ? FM_NONE
                                      : builder->frames.items[builder->frames.count - 1].visit;
}

/** @return the node of the innermost open region that is no estimated function; FM_NONE: none. */
static inline uint32_t fm_builder_recorded(const struct fm_builder *builder)
{
    return builder->frames.count == 0 ? FM_NONE
                                      : builder->frames.items[builder->frames.count - 1].recorded;
}

/** @return whether that region is a call. */
static inline bool fm_builder_is_in_call(const struct fm_builder *builder)
{
    return builder->frames.count != 0 &&
           builder->frames.items[builder->frames.count - 1].is_in_call;
}

/** Begins a stretch of computation, if it is one that samples may explain: outside of calls.
 * @param key   of the call stack at the event that begins it
 * @param call  of the innermost frame there */
void fm_builder_begin_computation(struct fm_builder *builder, uint64_t key, uint32_t call);

/** Ends the open stretch of computation, if there is one. Parameters as of its begin.
 * @param to  node at its end */
void fm_builder_end_computation(struct fm_builder *builder, uint64_t key, uint32_t call,
                                uint32_t to);

/** Ends the computation at the end of a thread: behind the ends of its functions. */
void fm_builder_end_last_computation(struct fm_builder *builder);

/** Notes that an estimated function was entered, or is about to be left. */
void fm_builder_note_estimate(struct fm_builder *builder, uint32_t visit, bool begins);

/** A sample of the call stack. */
void fm_builder_sample(struct fm_builder *builder, double weight);

/** Forgets the stretches of computation of the location before. */
void fm_builder_reset_computation(struct fm_builder *builder);

/** Composes the stretches of computation of the location that ends, and spreads its processor times
 * over them. */
void fm_builder_compose(struct fm_builder *builder);

/** Adds a processor time to the call paths of the computation that it is about. */
void fm_builder_spread(struct fm_location *location, const struct fm_processor_amount *amount);

/** Accounts for the time of a pause up to now, which belongs to no call. */
static inline void fm_builder_account_pause(struct fm_builder *builder)
{
    if (__builtin_expect(builder->is_paused, 0)) {
        uint64_t ticks = builder->now - builder->paused_since;
        builder->location->paused += ticks;
        builder->paused_since = builder->now;
        if (builder->frames.count != 0) {
            builder->frames.items[builder->frames.count - 1].inner += ticks;
        }
    }
}

/** @return the counters of a node of the call tree. */
static inline uint64_t *fm_builder_counts_of(struct fm_builder *builder, uint32_t visit)
{
    struct fm_location *location = builder->location;
    struct fm_visit_profile *profile = &location->profile.items[visit];
    if (profile->counts == FM_NONE) {
        profile->counts = (uint32_t)location->counts.count;
        fm_vector_push(&location->counts, (struct fm_count_row){{0}});
    }
    return location->counts.items[profile->counts].values;
}

/** @return the counters of the innermost call; NULL outside of all calls, which is a defect. */
static inline uint64_t *fm_builder_counts(struct fm_builder *builder)
{
    if (builder->frames.count == 0) {
        ++builder->defects->unusable_records;
        return NULL;
    }
    return fm_builder_counts_of(builder, builder->frames.items[builder->frames.count - 1].visit);
}

/** Books the load of a kernel that was left, if its activity was measured; then there is none.
 * @param ticks  of the kernel */
void fm_builder_end_kernel(struct fm_builder *builder, uint32_t visit, uint64_t ticks);

/** @return whether the record lies in a communication call and its references are defined; if not,
 * it is a defect. */
static inline bool fm_builder_is_usable(struct fm_builder *builder, uint32_t reference)
{
    if (builder->current_activity == FM_NONE || reference == FM_NONE) {
        ++builder->defects->unusable_records;
        return false;
    }
    return true;
}

/** Notes a collective whose start is not recorded: it counts as an unrecorded member of its series,
 * which keeps the order of the other ones. It was started by the oldest call that starts a
 * collective without a record, else in the last pause, else by the call that completes it.
 * @param completion  with its location, time and call */
void fm_builder_note_unrecorded_start(struct fm_builder *builder,
                                      const struct fm_foreign_completion *completion);

/** Notes time of the recorder's own work: behind a fork it is no part of the fork. */
void fm_builder_note_overhead(struct fm_builder *builder, uint64_t ticks);

/** Notes a completion in the innermost call of an operation that this location has not started; its
 * time, location and call are set here. */
static inline void fm_builder_note_foreign(struct fm_builder *builder,
                                           struct fm_foreign_completion completion)
{
    completion.time = builder->now;
    completion.location = builder->location_index;
    completion.activity = builder->current_activity;
    fm_vector_push(&builder->requests.foreign, completion);
}

/** Adds an activity without duration at the current time. @return its number */
uint32_t fm_builder_add_empty_activity(struct fm_builder *builder, uint32_t visit);

/** Forgets the forks of the process from `count` on. */
void fm_builder_forget_forks(struct fm_builder *builder, size_t count);

/** @return the node of the call tree for a call below a node; it is added if it is new. */
uint32_t fm_builder_visit(struct fm_builder *builder, uint32_t parent, uint32_t call);

/** @return whether the innermost call is one of MPI; unknown regions count as such, too. */
static inline bool fm_builder_is_in_mpi(const struct fm_builder *builder)
{
    const fm_paradigm_t paradigm =
        fm_trace_called(builder->trace, builder->location, builder->current_activity)->paradigm;
    return paradigm != FM_PARADIGM_SHMEM && paradigm != FM_PARADIGM_ARMCI &&
           paradigm != FM_PARADIGM_CAF;
}

/** Ends the copy that a stream is in, if that was recorded as a one-sided operation. */
void fm_builder_end_copy(struct fm_builder *builder);

/** Ends the regions that are still open at the end of a location, the innermost first, and lists
 * them. */
void fm_builder_leave_all(struct fm_builder *builder);

/** Forgets what the calls from an activity on, which are left, were stated to wait for. */
void fm_builder_forget_awaited(struct fm_builder *builder, uint32_t activity);

/** Lists the regions that are open at the end of a location, and what the innermost one waits for,
 * if it is a call. Its operations get what their missing records would have stated. */
void fm_builder_note_open(struct fm_builder *builder);

/** Adds this location's part in a collective operation, unless its call has it already. */
void fm_builder_take_part(struct fm_builder *builder, const struct fm_collective *part);

/** @return what the parameters in front of the record of a message state about it, once. */
struct fm_partitioned_message fm_builder_take_partitioned(struct fm_builder *builder);

/** Adds a message in partitions to a location. @return the `partitioned` of its fm_message_end */
uint32_t fm_location_partitioned(struct fm_location *location,
                                 struct fm_partitioned_message partitioned, uint64_t request);

#endif
