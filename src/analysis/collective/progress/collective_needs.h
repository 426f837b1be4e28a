/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Needs of calls that complete non-blocking collectives for the progress of the members whose data
 * they need.
 *
 * Each of n members may need n - 1 others. The members of a collective are gathered at one process,
 * its home, with what each does while others may need it; a call asks the homes of the collectives
 * that it completes for what matters of all its partners. For c calls that the members make while
 * others wait, a collective takes O(n + c) memory and messages, and O((n + c) log c) time; a prefix
 * reduction O(log n) times as much. (The lower bounds of waits take longer where no call covers
 * them.)
 */
#ifndef FERMATA_ANALYSIS_COLLECTIVE_PROGRESS_COLLECTIVE_NEEDS_H
#define FERMATA_ANALYSIS_COLLECTIVE_PROGRESS_COLLECTIVE_NEEDS_H

#include "analysis/collective/instance.h"
#include "analysis/progress/needs.h"

/** A call that completes non-blocking collectives, with what its partners do. */
struct fm_collective_call {
    struct fm_call_ref call;
    uint64_t enter, leave;
    uint64_t event;             /**< t_c: the last of the members that it needs starts */
    uint64_t begin;             /**< of the need; UINT64_MAX: the call is over then */
    struct fm_call_ref late;    /**< the call of that member */
    uint64_t key;               /**< of its kind: see fm_need_key() */
    uint64_t latest;            /**< Enter of the last of the partners' next calls that the call
                                     contains; 0: it contains none */
    struct fm_call_ref serving; /**< this one */
    uint64_t farthest; /**< Enter of the last of those that it does not contain; UINT64_MAX: a
                            partner makes no further call; 0: it contains all */
    uint32_t first_need, need_count; /**< private */
    bool is_open;                    /**< the call was never left */
    bool is_judged;                  /**< it needs partners and contains no other call */
};

typedef FM_VECTOR(struct fm_collective_call) fm_collective_calls;

struct fm_collective_needs;

/** @return no needs yet; NULL if the trace has no function that starts collectives, or the user
 * states that all progress is asynchronous */
struct fm_collective_needs *fm_collective_needs_create(struct fm_analysis *analysis);

/** NULL is allowed. */
void fm_collective_needs_free(struct fm_collective_needs *needs);

/** Adds a member of a collective; others than non-blocking ones of MPI are ignored. To be called in
 * a stage, by the owner of the member. NULL is allowed. */
void fm_collective_needs_add(struct fm_collective_needs *needs, unsigned worker,
                             const struct fm_member *member);

/** Finds what all calls need, after the last member. Runs stages; collective. NULL is allowed. */
void fm_collective_needs_find(struct fm_collective_needs *needs);

/** @return the calls of a process that is owned here, ascending by call. */
const fm_collective_calls *fm_collective_needs_calls(const struct fm_collective_needs *needs,
                                                     uint32_t process);

/** Asks for a time [begin, until) of a call: when no first call of its partners covers it. To be
 * called in a stage of fm_collective_needs_run(), by the owner of the call.
 * @param call  number of the call among those of the process */
void fm_collective_needs_ask(struct fm_collective_needs *needs, unsigned worker, uint32_t process,
                             uint32_t call, uint64_t until);

/** Asks for the calls in which the partners make progress that a call contains, or that run at the
 * begin of the need: the last of each collective, at most FM_COLLECTIVE_PARTNERS. Likewise. */
void fm_collective_needs_ask_partners(struct fm_collective_needs *needs, unsigned worker,
                                      uint32_t process, uint32_t call);

enum { FM_COLLECTIVE_PARTNERS = 8 };

/** Runs a stage that asks, and answers. Runs stages; collective. */
void fm_collective_needs_run(struct fm_collective_needs *needs, fm_stage_t *stage, void *context);

/** @return the ticks for which a call has asked and that nothing covers. To be called by the owner
 * of the process, after fm_collective_needs_run(). O(answers log answers) */
uint64_t fm_collective_needs_uncovered(const struct fm_collective_needs *needs, uint32_t process,
                                       uint32_t call);

/** Finds the calls of partners for which a call has asked. Likewise. @return their number */
size_t fm_collective_needs_partners(const struct fm_collective_needs *needs, uint32_t process,
                                    uint32_t call, const struct fm_call_ref **partners);

#endif
