/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The findings of the patterns: candidates for wait states, parts of wait states, and counts; and
 * the arbitration that chooses at most one wait state for each call.
 */
#ifndef FERMATA_ANALYSIS_MODEL_FINDINGS_H
#define FERMATA_ANALYSIS_MODEL_FINDINGS_H

#include "base/containers/vector.h"
#include "cube/model/metric.h"
#include "engine/engine.h"
#include "trace/tables/trace.h"

#include <stdbool.h>
#include <stdint.h>

/** A call depends on a remote event at time `t`: waiting time = t - begin (fm_trace_begin()). */
struct fm_candidate {
    uint64_t t;
    uint32_t activity; /**< waiting call */
    uint32_t cause_location;
    uint32_t cause_activity; /**< call whose Enter is at `t` */
    uint8_t precedence;      /**< of the pattern: the lower value is preferred */
    uint8_t metric;          /**< fm_metric_t of the waiting time */
};

/** Kinds of parts of a call's time, which depend on the wait state chosen for the call. */
typedef enum {
    FM_PART_COMPLETION, /**< from `since`, or the end of the waiting if that is later, to Leave */
    FM_PART_HEAD,       /**< of wait state `of`: from Enter to `since` */
    FM_PART_TAIL,       /**< of wait state `of`: from `since` to its end */
    FM_PART_BESIDE      /**< if the wait state is `of`: `since` ticks, outside of the time tree */
} fm_part_kind_t;

struct fm_part {
    uint64_t since;
    uint32_t activity;
    uint8_t kind;   /**< fm_part_kind_t */
    uint8_t metric; /**< fm_metric_t of the part */
    uint8_t of;     /**< fm_metric_t of the wait state; unused by FM_PART_COMPLETION */
};

/** A collective operation that synchronized every pair of a communicator's members, or of a team's
 * threads. */
struct fm_group_point {
    uint64_t t;            /**< Enter of the last member */
    uint32_t communicator; /**< or fm_team_community() */
    uint32_t is_init : 1;  /**< of Init: synchronizes all threads of the processes */
    uint32_t meeting : 31; /**< of threads: distinguishes those of one community at one tick */
};

typedef FM_VECTOR(struct fm_group_point) fm_group_point_vector;

/* Numbers by which points stand for threads of one process instead of the processes of a
 * communicator. */

/** Those of a team, whose communicator has locations as members. */
static inline uint32_t fm_team_community(const struct fm_trace *trace, uint32_t communicator)
{
    return trace->communicator_count + communicator;
}

/** A thread and the one that has created it. */
static inline uint32_t fm_creation_community(const struct fm_trace *trace, uint32_t location)
{
    return 2 * trace->communicator_count + location;
}

/** Those that meet at an object. @param number  of the object in the process, from 0 on */
static inline uint32_t fm_object_community(const struct fm_trace *trace, uint32_t number)
{
    return 2 * trace->communicator_count + trace->location_count + number;
}

/** @return whether a point is one of threads of one process. */
static inline bool fm_is_team_community(const struct fm_trace *trace, uint32_t communicator)
{
    return communicator >= trace->communicator_count;
}

/** @return whether a process is a member of the communicator of a point; of no team. */
static inline bool fm_community_has(const struct fm_trace *trace, uint32_t communicator,
                                    uint32_t process)
{
    return !fm_is_team_community(trace, communicator) &&
           fm_trace_rank(trace, communicator, process) != FM_NONE;
}

/** Counts of a metric for each node of a location's call tree. */
struct fm_count {
    fm_metric_t metric;
    uint64_t *values; /**< by node of the call tree */
};

/** A part of the own time of a node of a location's call tree belongs to another metric. */
struct fm_moved_time {
    uint64_t ticks;
    uint32_t visit;
    fm_metric_t metric;
};

/** Time of a location outside of all of its regions, booked on a call path of another thread. */
struct fm_outside_time {
    uint64_t ticks;
    uint32_t callpath; /**< node of the call forest */
    fm_metric_t metric;
};

/** A part of a process's time in which some of its threads are idle: outside of all of their
 * regions while the master executes serial code or is in a team without them. */
struct fm_idle_span {
    uint64_t from, to;
    uint32_t threads; /**< number of idle threads, at least 1 */
    bool is_limited;  /**< the master is in a team; false: it executes serial code */
};

/** Findings of one location. Written only by the worker that owns its process. */
struct fm_findings {
    FM_VECTOR(struct fm_candidate) candidates;
    FM_VECTOR(struct fm_part) parts;
    fm_group_point_vector points; /**< collective operations of this location */
    FM_VECTOR(struct fm_moved_time) moved;
    FM_VECTOR(struct fm_outside_time) outside; /**< each metric and call path once */
    FM_VECTOR(struct fm_idle_span)
    idle; /**< of a master of teams: when threads of its process are idle, ascending, apart */
    FM_VECTOR(struct fm_count) counts; /**< each metric once; few */
    FM_VECTOR(uint32_t)
    waits; /**< after the arbitration: positions in `candidates`, ascending by
                activity, one for each call that waits */
};

/** @return whether a call can wait for an event at `t`: begin (fm_trace_begin()) < t <= Leave, and
 * its own time (without nested calls) is long enough. */
bool fm_location_waits(const struct fm_location *location, uint32_t activity, uint64_t t);

/** Adds a candidate unless its call does not wait: see fm_location_waits(). @return whether it was
 * added. */
bool fm_findings_add(struct fm_findings *findings, const struct fm_location *location,
                     const struct fm_candidate *candidate);

/** As fm_findings_add() for a candidate whose `t` is known to lie in the call: does not read the
 * call, which is often not in cache. */
bool fm_findings_add_inside(struct fm_findings *findings, const struct fm_location *location,
                            const struct fm_candidate *candidate);

/** Prefetches the data for fm_findings_add_inside(), in two stages; see fm_prefetcher_t. */
static inline void fm_findings_prefetch(const struct fm_findings *findings, unsigned stage)
{
    if (stage == 0) {
        __builtin_prefetch(&findings->candidates);
    } else {
        __builtin_prefetch(findings->candidates.items + findings->candidates.count, 1);
    }
}

/** Adds `count` to a metric at the call path of an activity. */
void fm_findings_count(struct fm_findings *findings, const struct fm_location *location,
                       uint32_t activity, fm_metric_t metric, uint64_t count);

/** As fm_findings_count() for a node of the location's call tree. */
void fm_findings_count_visit(struct fm_findings *findings, const struct fm_location *location,
                             uint32_t visit, fm_metric_t metric, uint64_t count);

/** @return the own time of an activity, without nested calls. */
uint64_t fm_location_own_time(const struct fm_location *location, uint32_t activity);

/** Chooses the wait state of each call: the latest event; ties: the lower precedence, the lower
 * location of the cause, the earlier causing call. Cuts circles of wait states of one tick. Runs
 * stages; collective. */
void fm_findings_arbitrate(struct fm_findings *findings, const struct fm_trace *trace,
                           struct fm_engine *engine);

/** @return the wait state of an activity after the arbitration, or NULL. O(log n). */
const struct fm_candidate *fm_findings_wait(const struct fm_findings *findings, uint32_t activity);

/** Frees the tables of the findings. */
void fm_findings_free(struct fm_findings *findings);

#endif
