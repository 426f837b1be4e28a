/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Collective instances whose members have different roles: all members of the k-th operation on a
 * communicator (or on a window over it) are sent to one process, where patterns judge the instance
 * as a whole.
 */
#ifndef FERMATA_ANALYSIS_COLLECTIVE_INSTANCE_H
#define FERMATA_ANALYSIS_COLLECTIVE_INSTANCE_H

#include "analysis/model/finder.h"

#include <stdbool.h>
#include <stdint.h>

/** Kinds of series; a member's series is FM_SERIES_KINDS * paradigm + kind. */
enum {
    FM_SERIES_USE,      /**< of a communicator */
    FM_SERIES_CREATION, /**< of the communicator: counted separately from the operations on it */
    FM_SERIES_INIT,
    FM_SERIES_FINALIZE,
    FM_SERIES_ON_WINDOW,  /**< the scope is a window */
    FM_SERIES_PERSISTENT, /**< ... a persistent collective */
    FM_SERIES_KINDS,
    FM_SERIES_LIBRARIES = 16 /**< more than there are programming models */
};

/** One member's part in an instance. */
struct fm_member {
    uint64_t enter;       /**< of the call that took part (the start of a non-blocking operation) */
    uint64_t start_leave; /**< of the same call */
    uint64_t wait_enter;  /**< of the call that waits for the operation: `enter` if blocking */
    uint64_t leave;       /**< of the call that waits */
    uint64_t scope;       /**< communicator, window or persistent collective; with `series` and
                               `ordinal`, the instance. Less than 2^56 */
    uint32_t ordinal;     /**< k */
    uint32_t communicator;
    uint32_t rank;
    uint32_t process;
    uint32_t start_location, start_activity;
    uint32_t wait_location, wait_activity;
    uint32_t root;  /**< of rooted operations */
    uint32_t init;  /**< region that initialized a persistent operation; FM_NONE: none is known */
    uint8_t call;   /**< fm_call_t */
    uint8_t series; /**< instances of different series on a scope are counted separately */
    bool non_blocking;
    bool moved_bytes;
    uint8_t operation;  /**< OTF2_CollectiveOp of the record; of calls without one 0 */
    uint8_t size_class; /**< of what the member sent or received, if that is more */
    uint8_t name; /**< set by fm_collective_needs_add(): number of its name, and whether ... */
    bool is_persistent; /**< ... it is persistent */
};

/** @return the programming model of a member's operation. */
static inline fm_paradigm_t fm_member_paradigm(const struct fm_member *member)
{
    return (fm_paradigm_t)(member->series / FM_SERIES_KINDS);
}

/** @return the member as if the call that took part in the operation were the one that waits for
 * it.
 */
static inline struct fm_member fm_member_at_start(const struct fm_member *member)
{
    struct fm_member at_start = *member;
    at_start.wait_enter = member->enter;
    at_start.leave = member->start_leave;
    at_start.wait_location = member->start_location;
    at_start.wait_activity = member->start_activity;
    return at_start;
}

struct fm_join;

/** Judges one complete instance: `members` are all of the communicator's, in no particular order.
 */
typedef void fm_judge_t(void *context, unsigned worker, const struct fm_member **members,
                        uint32_t count);

/** @return an empty join, to be freed with fm_join_free(). */
struct fm_join *fm_join_create(struct fm_analysis *analysis);
void fm_join_free(struct fm_join *join);

/** Sends a member's part to the process that judges its instance. To be called in a stage. */
void fm_join_post(struct fm_join *join, unsigned worker, const struct fm_member *member);

/** @return the process that judges the instance of a member; FM_NONE: none does. */
uint32_t fm_join_home(const struct fm_analysis *analysis, const struct fm_member *member);

/** Judges all instances that are complete and of one kind. The findings of the judge are sent to
 * the members. Runs stages; collective. */
void fm_join_judge(struct fm_join *join, fm_judge_t *judge, void *context);

/** Reports the wait of `member` until `cause` enters, if it waits. */
void fm_member_wait(const struct fm_finder *finder, const struct fm_member *member,
                    const struct fm_member *cause, fm_metric_t metric);

/** Sorts members by their ranks. */
void fm_members_sort(const struct fm_member **members, uint32_t count);

/** @return the member that entered last; ties: the lowest rank. */
const struct fm_member *fm_members_last(const struct fm_member *const *members, uint32_t count);

/** @return the earliest Leave. */
uint64_t fm_members_first_leave(const struct fm_member *const *members, uint32_t count);

#endif
