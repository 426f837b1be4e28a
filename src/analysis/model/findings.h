/** @file
 * What the patterns find: candidates for wait states, parts of wait states, and counts; and the
 * arbitration that leaves each call at most one wait state.
 */
#ifndef FERMATA_ANALYSIS_MODEL_FINDINGS_H
#define FERMATA_ANALYSIS_MODEL_FINDINGS_H

#include "base/containers/vector.h"
#include "cube/model/metric.h"
#include "engine/engine.h"
#include "trace/tables/trace.h"

#include <stdbool.h>
#include <stdint.h>

/** The wait-state rules, in order of precedence. */
typedef enum {
#define FM_RULE(symbol) FM_RULE_##symbol,
#include "analysis/rules.def"
#undef FM_RULE
    FM_RULE_COUNT
} fm_rule_t;

/** A call depends on a remote event at time `t`: waiting time = t - Enter. */
struct fm_candidate {
    uint64_t t;
    uint32_t activity; /**< that waits */
    uint32_t cause_location;
    uint32_t cause_activity; /**< whose Enter is at `t` */
    uint8_t rule;            /**< fm_rule_t */
    uint8_t metric;          /**< fm_metric_t that the waiting time is booked on */
};

/** A part of a call's time that depends on which wait state the call has in the end. */
typedef enum {
    FM_PART_BARRIER_COMPLETION, /**< from max(`since`, end of the waiting) to Leave */
    FM_PART_NXN_COMPLETION,
    FM_PART_INIT_COMPLETION,
    FM_PART_EARLY_FENCE,   /**< of Wait at Fence: from Enter to `since` */
    FM_PART_LATE_COMPLETE, /**< of Early Wait: from `since` to its end */
    FM_PART_PROGRESS_LOWER /**< of Wait for Progress: `since` ticks are its lower bound */
} fm_part_kind_t;

struct fm_part {
    uint64_t since;
    uint32_t activity;
    uint8_t kind; /**< fm_part_kind_t */
};

/** A collective operation that synchronized every pair of a communicator's members. */
struct fm_group_point {
    uint64_t t; /**< Enter of the last member */
    uint32_t communicator;
    bool is_init; /**< of MPI_Init: shared by all threads of the processes */
};

typedef FM_VECTOR(struct fm_group_point) fm_group_point_vector;

/** Counts that only the patterns know, for each node of a location's call tree. */
typedef enum {
    FM_TALLY_PAIR_SYNCS,
    FM_TALLY_UNNEEDED_PAIR_SYNCS,
    FM_TALLY_PARTIAL_FENCES,
    FM_TALLY_KINDS
} fm_tally_t;

/** Findings of one location. Written only by the worker that owns its process. */
struct fm_findings {
    FM_VECTOR(struct fm_candidate) candidates;
    FM_VECTOR(struct fm_part) parts;
    fm_group_point_vector points; /**< those that this location took part in */
    uint64_t *tallies;            /**< [node of the call tree][fm_tally_t]; NULL: all 0 */
    FM_VECTOR(uint32_t)
    waits; /**< after the arbitration: positions in `candidates`, ascending by
                activity, one for each call that waits */
};

/** Adds a candidate unless `t` lies outside of the call: it waits if Enter < t <= Leave, and if its
 * own time (without nested calls) is long enough. @return whether it was added. */
bool fm_findings_add(struct fm_findings *findings, const struct fm_location *location,
                     const struct fm_candidate *candidate);

/** As fm_findings_add() for a candidate whose `t` is known to lie in the call: does not look at the
 * call, which may be far from what is in the processor's cache. */
bool fm_findings_add_inside(struct fm_findings *findings, const struct fm_location *location,
                            const struct fm_candidate *candidate);

/** Adds `count` to a tally at the call path of an activity. */
void fm_findings_tally(struct fm_findings *findings, const struct fm_location *location,
                       uint32_t activity, fm_tally_t tally, uint64_t count);

/** @return the time in which an activity itself was running, without nested calls. */
uint64_t fm_location_own_time(const struct fm_location *location, uint32_t activity);

/** Chooses the wait state of each call: the latest event; ties: the earlier rule, the lower
 * location of the cause, the earlier causing call. Circles of waits at one tick are cut. */
void fm_findings_arbitrate(struct fm_findings *findings, const struct fm_trace *trace,
                           struct fm_engine *engine);

/** @return the wait state of an activity after the arbitration, or NULL. O(log n). */
const struct fm_candidate *fm_findings_wait(const struct fm_findings *findings, uint32_t activity);

/** Frees what the findings own. */
void fm_findings_free(struct fm_findings *findings);

#endif
