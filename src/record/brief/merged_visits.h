/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Visits of short regions that exceed their budget (event_budget.h) are merged: tasks, critical
 * constructs, locks that were free, instrumented functions, regions that the program marks. Instead
 * of their Enters and Leaves, one record for each of them and place in the call tree is kept at the
 * end of the thread's buffer, and changed in place:
 *
 *     ... STACK VISITS(taskwait) VISITS(task in it) VISITS(create task in it)  <- cursor
 *
 * A record counts the visits and adds up their own time, which excludes the merged visits in them;
 * it has the shortest and the longest own time of a visit. A *group* is such a sequence of records.
 * It consists of *trees*: each begins with a *root*, a region that is entered where no merged visit
 * is open, with a certain call stack; a STACK record in front of it states the change of the stack.
 * The stack inside of a merged visit is not determined. Where a region is entered inside of a visit
 * of the same region, it counts as that one: recursive tasks have few records. (A critical
 * construct in function f and the same in function g have two roots; but in a merged visit they are
 * one.)
 *
 * The conversion writes the regions of a group one after the other from the first Enter on, inside
 * of what encloses them, so that their durations are the sums of their visits. Where a visit was in
 * that time is lost; a group is therefore ended after some milliseconds.
 *
 * When anything else is recorded in a merged visit (a call, a parallel region, a contended lock),
 * the open visits are *told* first: they get the Enters that they lack, and are recorded as others
 * from then on. If a visit contains no merged visit that has ended, its Enter has its own time, as
 * if nothing had been merged; else the part up to now stays in the record, without counting as a
 * visit. No samples are taken in merged visits.
 *
 * Visits nest with the thread's open regions (fm_thread.open) and instrumented functions
 * (fm_thread.functions): the merged ones are the innermost of both.
 *
 * Other threads and signal handlers that read the records (fm_thread_settle) end the group.
 */
#ifndef FERMATA_RECORD_BRIEF_MERGED_VISITS_H
#define FERMATA_RECORD_BRIEF_MERGED_VISITS_H

#include "record/capture/hot.h"
#include "record/stack/registers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fm_stack_state;
struct fm_thread;

/** What is visited: types of VISITS records. */
enum fm_visited {
    FM_VISITED_REGION,   /**< a marked region or construct: number of its definition */
    FM_VISITED_FUNCTION, /**< an instrumented function: call site of its first instruction */
    FM_VISITED_CALL      /**< a call of a library: number of the function */
};

/** Records of a group. */
enum { FM_VISIT_NODES = 512 };

/** An open visit that is merged. */
struct fm_visit {
    uint64_t key;     /**< type and number (fm_visit_key) */
    uint64_t began;   /**< Enter; of a booked visit only the part behind a group's end counts */
    uint64_t sp;      /**< stack pointer of the function that it was entered in */
    uint64_t own;     /**< ticks of its own so far */
    uint64_t pending; /**< those that no record has */
    uint32_t node;    /**< of the group; valid if it is booked */
    bool is_booked;   /**< the node has its time so far; then so it is with the visits around it */
    uint64_t taken;   /**< header of the LOCK_TAKEN record that precedes its Enter; 0: none */
    uint64_t order;   /**< of that acquisition */
};

/** A record of a group. */
struct fm_visit_node {
    uint64_t *record;
    uint64_t key;
    uint32_t parent; /**< + 1; 0: a root */
    uint32_t root;   /**< its tree */
    const struct fm_stack_state
        *state;     /**< of a root: its call stack in the cache; NULL: unknown */
    uint32_t stamp; /**< of the state */
    uint32_t shown; /**< functions of that stack that are around the region */
};

/** What a thread needs once it merges visits. */
struct fm_visit_memory;

/** Merged visits of a thread. Zeroed = none. */
struct fm_merged_visits {
    uint32_t count;   /**< open ones */
    uint32_t regions; /**< of these, regions */
    uint32_t room;
    uint32_t wanted; /**< not 0: what the present section enters is merged (construct.h) */
    /* Of the outermost open one: */
    const struct fm_stack_state *state; /**< its call stack in the cache; NULL: unknown */
    uint32_t stamp;                     /**< of the state */
    uint32_t shown;                     /**< functions of that stack that are around it */
    uint32_t root;  /**< node of the group for the outermost open one; FM_VISIT_NODES: a new one */
    uint64_t since; /**< last Enter or Leave of a visit */
    uint64_t taken, order; /**< as in struct fm_visit, of the visit that begins next */
    struct fm_here here;   /**< of the present section */
    struct fm_visit *open;
    struct fm_visit_memory *memory; /**< NULL: nothing was merged yet */
};

static inline uint64_t fm_visit_key(enum fm_visited type, uint32_t number)
{
    return (uint64_t)type << 32 | number;
}

/** Begins to merge visits; before, nothing is merged. Called once.
 * @param resolution  clock ticks per second */
void fm_merged_visits_begin(uint64_t resolution);

/** Enters what is merged. errno is preserved.
 * @param here  in a function that the program has called, for its call stack
 * @return false: there is no memory, the run has not begun, or a pause has; the open visits have
 * been told */
FM_API bool fm_visit_enter(struct fm_thread *thread, uint64_t key, uint64_t time,
                           struct fm_here here);

/** The innermost open visit; there is one. */
static inline struct fm_visit *fm_visit_innermost(struct fm_merged_visits *visits)
{
    return &visits->open[visits->count - 1];
}

/** Leaves the innermost open visit. */
FM_API void fm_visit_leave(struct fm_thread *thread, uint64_t time);

/** Leaves the innermost open visit as if it had not been: its time is that of what is around it.
 * @return false: it has contained others, and nothing was done */
FM_API bool fm_visit_drop(struct fm_thread *thread, uint64_t time);

/** Leaves the open region number `item` of fm_thread.open and those inside it, if they are merged.
 * @return false: they are not; then the open visits have been told, and nothing was left */
FM_API bool fm_visit_leave_open(struct fm_thread *thread, size_t item, uint64_t time);

/** Tells the open visits: they are recorded from now on. Called before anything else is recorded.
 * errno is preserved.
 * @param here  in a function that the program has called now, so that the call stack shows which
 *              functions lie between the visits; NULL: not known */
FM_API FM_COLD void fm_merged_visits_tell(struct fm_thread *thread, const struct fm_here *here);

/** Ends the group, for records that are about to be saved or discarded; open visits go on. Called
 * by the thread, after fm_merging.group has been ended. */
void fm_merged_visits_end_group(struct fm_thread *thread);

#endif
