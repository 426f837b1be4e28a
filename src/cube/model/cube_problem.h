/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The problems of a run: causes of waiting, each with all waiting that stems from it, directly or
 * passed on by other wait states, and causes of idle threads. A problem is a call path on one or
 * more locations; a problem of the kinds FM_CAUSE_UNATTRIBUTED and FM_CAUSE_VARIATION has neither
 * call path nor locations. The costs of all problems of an analysis but those of the kind
 * FM_CAUSE_IDLE add up to the waiting time of the run, those of that kind to the time of idle
 * threads. Belongs to the severity cube (cube.h). Times are ticks since the begin of the run, costs
 * have the fixed point of the metrics of unit FM_UNIT_COST.
 */
#ifndef FERMATA_CUBE_MODEL_CUBE_PROBLEM_H
#define FERMATA_CUBE_MODEL_CUBE_PROBLEM_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct fm_cube;

/** Why others waited for a call path, or had nothing to do. */
enum fm_cause_kind {
    FM_CAUSE_IMBALANCE,     /**< it took longer there than where others waited */
    FM_CAUSE_SERIALIZATION, /**< it ran while others waited for a lock that its location, or one
                                 that waited for its location, held */
    FM_CAUSE_PROGRESS,      /**< it ran while others needed progress of the target's library, or is
                                 itself a library call that did not progress */
    FM_CAUSE_TRANSFER,      /**< a call of a communication library, by its own time */
    FM_CAUSE_STARTUP,       /**< start-up and shut-down of the library, by their own time */
    FM_CAUSE_UNATTRIBUTED,  /**< the trace does not show what delayed the cause */
    FM_CAUSE_IO,            /**< a call that opens, reads or writes a file, by its own time */
    FM_CAUSE_IDLE,          /**< the master of a process executes it while other threads of the
                                 process are idle; without call path and locations: it waits
                                 meanwhile, so that the idle time follows from problems of waiting */
    FM_CAUSE_VARIATION,     /**< ranks are last by chance: samples do not tell that a function takes
                                 longer */
    FM_CAUSE_CONTENTION,    /**< a lock itself: others waited for it while library calls ran inside
                                 an epoch of it; `callpath` is the call that costs most */
    FM_CAUSE_KINDS
};

/** @return "imbalance", "serialization", ... @param kind  below FM_CAUSE_KINDS */
const char *fm_cause_kind_name(uint32_t kind);

/** @return whether problems of a kind have a call path and locations. */
static inline bool fm_cause_has_callpath(uint32_t kind)
{
    return kind != FM_CAUSE_UNATTRIBUTED && kind != FM_CAUSE_VARIATION;
}

/** Consecutive iterations of a phase, or a part of the run, in which a cost arises. */
struct fm_cube_occasion {
    uint64_t first, last; /**< iterations, included; 0, 0: the problem has no phase */
    uint64_t begin, end;
    uint64_t count; /**< iterations in first .. last with at least half of the mean cost of first ..
                         last; 0: the problem has no phase */
    double share;   /**< of the problem's cost, 0 .. 1 */
};

/** Waiting that a problem explains: wait states of one kind in one call path; or idle time. */
struct fm_cube_symptom {
    uint32_t metric;   /**< kind of wait state (fm_metric_t of the time tree); of FM_CAUSE_IDLE:
                            FM_METRIC_OMP_IDLE_THREADS or FM_METRIC_OMP_LIMITED_PARALLELISM */
    uint32_t callpath; /**< of idle time: of the master */
    uint32_t location_count;
    uint32_t *locations; /**< that wait there because of the problem, or are idle, ascending */
    int64_t cost;
};

/** @return whether a metric is that of a symptom of FM_CAUSE_IDLE. */
bool fm_is_symptom_of_idle(uint32_t metric);

/** A part of what takes longer explains it if it has at least this share of it: a callee of a
 * function, or the number of its calls. */
#define FM_CUBE_MOST_OF_EXCESS 0.8

/** How long a call path takes on the processes of a problem and elsewhere: exclusive time without
 * waiting of the slowest thread, in one iteration if the problem has a phase (in those of the
 * occasions if it has any), otherwise in the whole run. */
struct fm_cube_excess {
    uint64_t there;     /**< mean of the problem's processes, ticks */
    uint64_t elsewhere; /**< median of the other processes; 0 if there are none */
    uint64_t longest;   /**< of the other processes; 0 if there are none */
    bool is_known;      /**< false: not comparable (serialization, library calls, ...) */
};

/** By how much the run can become shorter at most, ticks. */
struct fm_cube_gain {
    bool is_known;
    uint64_t balanced; /**< if the call path took its mean time everywhere, in each iteration; of a
                            serialization 0: balance does not help; of FM_CAUSE_IDLE if the idle
                            threads took part in it */
    uint64_t removed;  /**< if it took its median time where it takes longer; of a serialization, if
                            the processes did not have to execute it one after the other; of
                            FM_CAUSE_IDLE if it took no time */
};

#define FM_CUBE_HELD_IN     2
#define FM_CUBE_SPLIT_LOCKS 4

/** A lock as a cause, or several locks of one window that cost about as much. */
struct fm_cube_contention {
    uint32_t lock_count; /**< 0: the problem is not a lock */
    uint64_t hold;       /**< median time for which an epoch holds its lock, from the acquisition to
                              the end of the release, ticks */
    uint64_t waiting;    /**< contention waiting on the locks, ticks of all locations */
    uint64_t held;       /**< ticks in which somebody holds a lock, added up over the locks */
    uint32_t held_in_count;
    uint32_t held_in[FM_CUBE_HELD_IN]; /**< call paths of the functions that cost most meanwhile,
                                          the largest first */
};

/** What is changed in a predicted run. */
enum fm_predicted_change {
    FM_PREDICTED_AS_OTHERS,  /**< in each iteration, the call path takes on the problem's processes
                                  at most the median of the others */
    FM_PREDICTED_MEDIAN,     /**< ... nowhere more than its median */
    FM_PREDICTED_ABSENT,     /**< ... no time on the problem's processes: nobody else executes it */
    FM_PREDICTED_BALANCED,   /**< ... everywhere its mean; of FM_CAUSE_IDLE: as if the idle threads
                                  took part in it */
    FM_PREDICTED_NO_LOCK,    /**< nobody waits for the lock */
    FM_PREDICTED_SPLIT_LOCK, /**< FM_CUBE_SPLIT_LOCKS locks stand for each, acquired in turn */
    FM_PREDICTED_SHORTER,    /**< the call path, which runs while the lock is held, takes half the
                                  time */
    FM_PREDICTED_PROGRESS,   /**< targets make progress at any time */
    FM_PREDICTED_NO_BARRIER, /**< the barrier in which most waiting shows does not exist */
    FM_PREDICTED_PARTNERS,   /**< the fence in which most waiting shows waits for processes with
                                  which it exchanges data only */
    FM_PREDICTED_CHANGES
};

/** @return whether a prediction is about a call of all processes, which `callpath` names, not about
 * the problem's own call path. */
static inline bool fm_predicted_of_call(uint32_t change)
{
    return change >= FM_PREDICTED_NO_BARRIER;
}

/** @return "as_others", "median", ... @param change  below FM_PREDICTED_CHANGES */
const char *fm_predicted_change_name(uint32_t change);

/** The run without a problem, by a replay of the measured dependencies (docs/whatif.md). */
struct fm_cube_prediction {
    uint32_t change;   /**< enum fm_predicted_change */
    uint32_t callpath; /**< NO_BARRIER, PARTNERS: of the call; else FM_CUBE_NONE */
    int64_t saved;     /**< by how much the run becomes shorter, ticks; negative: longer */
    uint64_t freed;   /**< by how much locations wait less in the call paths in which they do, ticks
                           of all locations together */
    uint64_t moved;   /**< by how much they wait longer in call path `instead` */
    uint32_t instead; /**< where waiting grows most; FM_CUBE_NONE: nowhere */
};

#define FM_CUBE_OCCASIONS   3
#define FM_CUBE_PREDICTIONS 4
#define FM_CUBE_CANDIDATES  3

struct fm_cube_problem {
    uint32_t kind;     /**< enum fm_cause_kind */
    uint32_t callpath; /**< FM_CUBE_NONE: none */
    uint32_t phase;    /**< in cube->phases: whose iterations `occasions` count; FM_CUBE_NONE */
    uint32_t lock;     /**< in cube->locks, of a serialization or contention: that costs most;
                            FM_CUBE_NONE: unknown */
    uint32_t location_count;
    uint32_t *locations; /**< ascending; none of an unattributed cost */
    int64_t cost;
    int64_t inside; /**< of a serialization or contention: part of the cost that arises inside of
                         epochs of the lock, while it is held or asked for */
    struct fm_cube_contention contention;
    int64_t error; /**< two standard errors of the cost that come of samples; 0: it is exact */
    uint32_t candidate_count;
    uint32_t candidates[FM_CUBE_CANDIDATES]; /**< call paths below `callpath`: one of them may be
                                                what takes longer; samples do not tell which */
    uint32_t replaced; /**< caller whose excess is almost all in `callpath`, if it has a share */
    double replaced_share; /**< of its excess; 0: there is no such caller */
    bool is_function;      /**< cost, times, excess and gain are those of the function in all of its
                              call paths, of which `callpath` costs most, with the functions that
                              it calls, but for those that are problems of their own */
    bool in_one_callpath;  /**< of a function: in `callpath` only, because it is a cause on other
                              locations in its other call paths */
    uint32_t occasion_count; /**< 0: the cost is spread over the run, or no phase holds it */
    struct fm_cube_occasion occasions[FM_CUBE_OCCASIONS]; /**< ascending, apart */
    struct fm_cube_excess excess;
    struct fm_cube_gain gain;
    uint32_t prediction_count;                                  /**< 0: not predicted */
    struct fm_cube_prediction predictions[FM_CUBE_PREDICTIONS]; /**< each change once */
    uint32_t consequence_of; /**< 1 + number of the problem without which, as its first prediction
                                  shows, the waiting of this one vanishes; 0: none */
    uint32_t symptom_count;  /**< 0: not computed for small problems */
    struct fm_cube_symptom *symptoms; /**< largest first */
};

/** Appends a problem (copied); to be called in descending order of cost, variation last, after all
 * definitions, phases and locks were added.
 * @return FM_ERR_FAILED: it contradicts itself or the cube's definitions */
fm_status_t fm_cube_add_problem(struct fm_cube *cube, const struct fm_cube_problem *problem,
                                struct fm_error *error);

/** Appends a prediction to a problem of the cube.
 * @param problem  below cube->problem_count
 * @return false, without effect: the prediction contradicts itself, the problem's others or the
 * cube's definitions */
bool fm_cube_predict(struct fm_cube *cube, uint32_t problem,
                     const struct fm_cube_prediction *prediction);

/** @return whether a call path is one of those of a problem with a call path. */
bool fm_cube_problem_is_at(const struct fm_cube *cube, const struct fm_cube_problem *problem,
                           uint32_t callpath);

/** @return the number of call paths of a problem with a call path: of a function those in which it
 * is called. O(call paths) */
uint32_t fm_cube_problem_paths(const struct fm_cube *cube, const struct fm_cube_problem *problem);

/** @return whether a location is one of those of a problem; to be called for all locations in
 * ascending order.
 * @param next  in, out: 0 for the first location */
static inline bool fm_cube_problem_is_on(const struct fm_cube_problem *problem, uint32_t location,
                                         uint32_t *next)
{
    const bool is_on = *next < problem->location_count && problem->locations[*next] == location;
    *next += is_on;
    return is_on;
}

/** @return whether two lists of locations, both ascending, have one in common. */
bool fm_cube_locations_meet(const uint32_t *one, uint32_t one_count, const uint32_t *other,
                            uint32_t other_count);

/** States that a problem is a consequence of another one.
 * @param problem  below cube->problem_count
 * @return false, without effect: the other one does not precede it, has no prediction, or is a
 * consequence itself */
bool fm_cube_set_consequence(struct fm_cube *cube, uint32_t problem, uint32_t of);

/** New indices of what a problem refers to: [old index]; FM_CUBE_NONE: does not exist any more. */
struct fm_cube_problem_map {
    const uint32_t *callpaths;
    const uint32_t *locations; /**< NULL: unchanged */
    const uint32_t *phases;    /**< NULL: none exists any more */
    const uint32_t *locks;     /**< NULL: none exists any more */
};

/** Appends a problem of another cube with its indices changed. A problem without its call path is
 * left out, as are symptoms without theirs. Without its phase, a problem keeps the times of its
 * occasions, and its excess, which is that of an iteration, is unknown. It is the consequence of no
 * other one.
 * @param is_kept  out: false: the problem was left out */
fm_status_t fm_cube_copy_problem(struct fm_cube *cube, const struct fm_cube_problem *problem,
                                 const struct fm_cube_problem_map *map, bool *is_kept,
                                 struct fm_error *error);

/** Removes what describes single iterations, for a problem without its phase: see
 * fm_cube_copy_problem(). */
void fm_cube_forget_iterations(struct fm_cube_problem *problem);

/** Frees the problems; the cube has none afterwards. fm_cube_free() does so, too. */
void fm_cube_free_problems(struct fm_cube *cube);

#endif
