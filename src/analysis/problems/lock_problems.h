/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Locks as causes: what library calls inside the epochs of a lock cost those that wait for it.
 * Where functions of the program are blamed for more than half of the waiting for a lock, its cost
 * joins that of the function that is blamed most: they are one cause.
 */
#ifndef FERMATA_ANALYSIS_PROBLEMS_LOCK_PROBLEMS_H
#define FERMATA_ANALYSIS_PROBLEMS_LOCK_PROBLEMS_H

#include "analysis/problems/problem_costs.h"
#include "cube/model/cube.h"

/** To which problem the cost of a lock belongs. */
struct fm_lock_fate {
    fm_lock_key_t lock;
    uint32_t callpath; /**< of the function whose serialization it joins; FM_NONE: none */
    uint32_t location; /**< that is blamed most in this function */
    uint32_t problem;  /**< number of its own problem, if it has one and that is known; FM_NONE */
};

typedef FM_VECTOR(struct fm_lock_fate) fm_lock_fates;

/** A location executes the function that a lock joins. */
struct fm_lock_member {
    fm_lock_key_t lock;
    uint32_t location;
    uint32_t unused;
};

typedef FM_VECTOR(struct fm_lock_member) fm_lock_members;

/** Decides which locks join a function, and moves their cells to it. For process 0.
 * @param fates    out: of all locks that are waited for, ascending by lock
 * @param members  out: of those that join a function, ascending by lock and location */
void fm_locks_join(struct fm_problem_costs *costs, const struct fm_trace *trace,
                   fm_lock_fates *fates, fm_lock_members *members);

/** @return the location to which the cost of a lock on a location belongs, if the lock joins a
 * function: that location if it executes the function, else that which is blamed most in it */
uint32_t fm_lock_fate_location(const struct fm_lock_fate *fate,
                               const struct fm_lock_member *members, size_t count,
                               uint32_t location);

/** A problem that is a lock, or several of one window. */
struct fm_lock_problem {
    struct fm_cube_problem problem; /**< owns its locations; `lock` is not set */
    struct fm_contended_lock lock;  /**< that costs most */
};

typedef FM_VECTOR(struct fm_lock_problem) fm_lock_problems;

/** Makes problems of the cells that are left to locks. Locks of one window of MPI are one problem
 * if each of them costs at least a tenth of the one that costs most; the others likewise. For
 * process 0.
 * @param fates  in, out: `problem` is the number in `problems` */
void fm_lock_problems_group(const struct fm_problem_costs *costs, const struct fm_trace *trace,
                            fm_lock_fates *fates, fm_lock_problems *problems);

/** @return what becomes of a lock; NULL: it is not known. @param fates  ascending by lock */
const struct fm_lock_fate *fm_lock_fate_of(const struct fm_lock_fate *fates, size_t count,
                                           fm_lock_key_t lock);

#endif
