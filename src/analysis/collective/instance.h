/** @file
 * Collective instances whose members play different parts: brings together what the members of a
 * communicator did in the k-th operation on it (or on a window over it), lets a rule judge the
 * whole, and returns the verdicts to the members.
 */
#ifndef FERMATA_ANALYSIS_COLLECTIVE_INSTANCE_H
#define FERMATA_ANALYSIS_COLLECTIVE_INSTANCE_H

#include "analysis/pattern.h"

#include <stdbool.h>
#include <stdint.h>

/** One member's part in an instance. */
struct fm_member {
    uint64_t enter;      /**< of the call that took part (the start of a non-blocking operation) */
    uint64_t wait_enter; /**< of the call that waits for the operation: `enter` if blocking */
    uint64_t leave;      /**< of the call that waits */
    uint32_t scope;   /**< communicator or window: with `series` and `ordinal` names the instance */
    uint32_t ordinal; /**< k */
    uint32_t communicator;
    uint32_t rank;
    uint32_t process;
    uint32_t start_location, start_activity;
    uint32_t wait_location, wait_activity;
    uint32_t root;  /**< of rooted operations */
    uint8_t call;   /**< fm_call_t */
    uint8_t series; /**< instances of different series on a scope are counted apart */
    bool non_blocking;
    bool moved_bytes;
};

/** What an instance means for one member. */
struct fm_verdict {
    uint32_t location; /**< of the waiting call */
    bool has_wait, has_part;
    struct fm_candidate candidate; /**< if has_wait */
    struct fm_part part;           /**< if has_part */
};

struct fm_join;

/** Judges one complete instance: `members` are all of the communicator's, in no particular order.
 */
typedef void fm_judge_t(struct fm_join *join, unsigned worker, const struct fm_member **members,
                        uint32_t count);

/** @return an empty join, to be freed with fm_join_free(). */
struct fm_join *fm_join_create(struct fm_analysis *analysis);
void fm_join_free(struct fm_join *join);

struct fm_analysis *fm_join_analysis(struct fm_join *join);

/** Sends a member's part to where its instance is judged. To be called in a phase. */
void fm_join_post(struct fm_join *join, unsigned worker, const struct fm_member *member);

/** Judges all instances that are complete and of one kind, and adds the verdicts to the findings.
 * Runs phases; collective. */
void fm_join_judge(struct fm_join *join, fm_judge_t *judge);

/** Sends a verdict to a member. To be called by a judge. */
void fm_join_return(struct fm_join *join, unsigned worker, const struct fm_member *member,
                    const struct fm_verdict *verdict);

/** Verdict "waits for `cause`", whose Enter is the event: a wait state of `metric` by `rule`. */
void fm_join_return_wait(struct fm_join *join, unsigned worker, const struct fm_member *member,
                         const struct fm_member *cause, fm_rule_t rule, fm_metric_t metric);

/** @return whether the event of `cause` lies inside the call in which `member` waits. */
bool fm_member_may_wait(const struct fm_member *member, const struct fm_member *cause);

/** @return the candidate "`member` waits for `cause`". */
struct fm_candidate fm_member_waits_for(const struct fm_member *member,
                                        const struct fm_member *cause, fm_rule_t rule,
                                        fm_metric_t metric);

/** @return the member that entered last; ties: the lowest rank. */
const struct fm_member *fm_members_last(const struct fm_member *const *members, uint32_t count);

/** @return the earliest Leave. */
uint64_t fm_members_first_leave(const struct fm_member *const *members, uint32_t count);

#endif
