/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What call paths cost as causes: all waiting that stems from them.
 *
 * The cost of a call path on a location is the sum of its short-term and long-term delay costs,
 * with one change: a wait state for a lock or for progress passes nothing on. The waiting that such
 * a wait state has, and that it has caused in turn, is the cost of the call paths that are blamed
 * for it (causes/blame/blame.h). Functions of libraries are part of the function of the program
 * that calls them (fm_trace_function_of). Of a run with samples, the functions are those that
 * fm_sampled_causes_find() finds. All costs add up to the waiting time of the run.
 */
#ifndef FERMATA_ANALYSIS_PROBLEMS_PROBLEM_COSTS_H
#define FERMATA_ANALYSIS_PROBLEMS_PROBLEM_COSTS_H

#include "analysis/problems/blamed_waits.h"
#include "analysis/problems/sampled/sampled_causes.h"

/** Cost of a call path on a location. */
struct fm_problem_cost {
    int64_t cost;   /**< more than 0; ticks in the fixed point of the formation */
    int64_t inside; /**< of it, while the location is in an epoch of the lock that is waited for */
    fm_lock_key_t lock; /**< of FM_CAUSE_CONTENTION: the lock that is the cause; else FM_NO_LOCK */
    uint32_t callpath;
    uint32_t kind; /**< enum fm_cause_kind */
    uint32_t location;
    struct fm_sampled_cause sampled; /**< `error` 0: nothing is known of it */
};

/** How much of the waiting for a lock a function is blamed for on a location. */
struct fm_lock_blame {
    fm_lock_key_t lock;
    uint64_t ticks;
    uint32_t callpath; /**< of the function that is serialized; FM_NONE: all else that is blamed */
    uint32_t location; /**< that executes it; FM_NONE: all */
};

struct fm_problem_costs {
    FM_VECTOR(struct fm_problem_cost)
    cells; /**< process 0: ascending by (call path, kind, lock,
              location), each once; others: none */
    FM_VECTOR(struct fm_lock_blame)
    lock_blame;               /**< process 0: ascending by (lock, call path, location), each once */
    fm_contended_locks locks; /**< process 0: that somebody waits for, ascending by key */
    int64_t unattributed;     /**< process 0: what no call path is charged with */
    int64_t variation;        /**< process 0: what is not known to be more than chance */
    int64_t sum;              /**< process 0: of all of them */
    bool is_sampled;          /**< process 0: samples tell of functions */
    double inexact;           /**< process 0: ticks by which the sum may differ from all waiting */
};

/** Computes all costs. To be called after fm_formation_costs(); replaces `phi` of the caused wait
 * states, see fm_propagate_without(). Runs stages; collective.
 * @param blamed  by location: as fm_blamed_waits_note() returned it; is completed
 * @return to be freed with fm_problem_costs_free() */
struct fm_problem_costs fm_problem_costs_compute(struct fm_formation *formation,
                                                 struct fm_blamed_waits *blamed);

/** Adds up cells of the same call path, kind, lock and location, and brings them in order. */
void fm_problem_costs_add_up(struct fm_problem_costs *costs);

void fm_problem_costs_free(struct fm_problem_costs *costs);

#endif
