/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Dependencies: the events on which calls depend, whether they waited for them or not. The
 * prediction of changed runs (analysis/replay.h) follows them; docs/whatif.md has the rules.
 *
 * A call depends on an event at time t by the rule that also finds its wait states. Only
 * dependencies with t <= Leave of the call are kept: what happened later cannot have ended the
 * call. Where clocks are repaired (clocks/), later events of obligatory rules are kept, too. A call
 * that depends on many events at once (a collective operation) depends on a junction: the latest of
 * them. Threads begin to work at marks, which depend on marks of other threads.
 *
 * They exist only in an analysis by a single process that asks for them.
 */
#ifndef FERMATA_ANALYSIS_DEPENDENCIES_DEPENDENCIES_H
#define FERMATA_ANALYSIS_DEPENDENCIES_DEPENDENCIES_H

#include "base/containers/vector.h"
#include "trace/tables/trace.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct fm_ordered_acquisition;
struct fm_analysis;
struct fm_call_ref;

/** Rules by which a call depends on an event. */
typedef enum {
#define FM_DEPENDENCY_RULE(rule, duty, text) FM_DEPENDS_ON_##rule,
#include "analysis/dependencies/dependency_rules.def"
#undef FM_DEPENDENCY_RULE
    FM_DEPENDENCY_RULES
} fm_dependency_rule_t;

/** Rules that bind no call as it was measured: what fences could wait for instead of all members of
 * the window, and who could get a lock earlier. Bits 1 << fm_dependency_rule_t. */
#define FM_DORMANT_RULES (1U << FM_DEPENDS_ON_PARTNER | 1U << FM_DEPENDS_ON_OVERTAKER)

/** Rules that hold whatever the times are (MUST): the clock condition. Bits as above. */
extern const uint32_t fm_obligatory_rules;

/** Kinds of events that calls depend on. */
typedef enum {
    FM_AWAITED_ENTER,    /**< t lies behind the Enter of activity `index` of location `place` by a
                              constant, mostly 0 */
    FM_AWAITED_LEAVE,    /**< t lies before the Leave of that activity by a constant */
    FM_AWAITED_JUNCTION, /**< junction `index` of table `place` */
    FM_AWAITED_MARK      /**< mark at row `index` of location `place` */
} fm_awaited_kind_t;

/** An event. At most 2^30 locations. */
struct fm_awaited {
    uint32_t place : 30;
    uint32_t kind : 2; /**< fm_awaited_kind_t */
    uint32_t index;
};

/** A call, or a mark, depends on an event. */
struct fm_dependency {
    uint64_t t; /**< of the event, in the measured run */
    struct fm_awaited source;
    uint32_t activity;  /**< the call that depends; of marks: the row */
    uint8_t rule;       /**< fm_dependency_rule_t */
    bool dropped;       /**< it closes a circle of dependencies at one time: not followed */
    bool other_dropped; /**< the event that a changed run has in its place closes a circle: the call
                             waits for none, as if it had happened before */
};

/** A record of threads at which a location begins to work for another one, or lets one begin. */
struct fm_mark {
    uint64_t time;
    uint32_t row;           /**< of the location's records of threads */
    uint32_t activity;      /**< as in the record: innermost open call; FM_NONE: none */
    uint32_t next_activity; /**< as in the record */
};

/** The latest of several events. */
struct fm_junction {
    uint64_t t; /**< its time in the measured run */
    size_t first_input;
    uint32_t input_count; /**< at least 1 */
    uint32_t home;        /**< a process that takes part: its owner follows the junction */
};

/** The junctions that one worker has found. */
struct fm_junction_table {
    FM_VECTOR(struct fm_junction) junctions;
    FM_VECTOR(struct fm_awaited) inputs;
    unsigned char apart[FM_APART];
};

/** Consecutive calls that poll for the same completion, of which only the last one finds it: one
 * activity. */
struct fm_polling {
    uint32_t first, last; /**< activities */
};

typedef FM_VECTOR(struct fm_dependency) fm_dependency_vector;
typedef FM_VECTOR(struct fm_polling) fm_polling_vector;
typedef FM_VECTOR(struct fm_mark) fm_mark_vector;
typedef FM_VECTOR(struct fm_ordered_acquisition) fm_acquisition_vector;

struct fm_dependencies {
    fm_dependency_vector *of_location;   /**< [location]: ascending by activity and rule */
    fm_polling_vector *pollings;         /**< [location]: ascending */
    fm_mark_vector *marks;               /**< [location]: ascending by row */
    fm_dependency_vector *of_marks;      /**< [location]: ascending by row and rule */
    struct fm_junction_table *tables;    /**< [worker of the analysis] */
    fm_acquisition_vector *acquisitions; /**< [process]: of locks, see acquisitions.h */
    unsigned table_count;
    uint32_t location_count, process_count;
    bool keeps_violated; /**< dependencies of obligatory rules are kept also if the event came too
                              late */
    atomic_uint_fast64_t violations; /**< those of obligatory rules whose event came too late */
    atomic_uint_fast64_t unbound; /**< dependencies on events that came too late: clocks disagree,
                                       or the call did not wait for all */
};

/** @return no dependencies yet, to be freed with fm_dependencies_free() */
struct fm_dependencies *fm_dependencies_create(const struct fm_analysis *analysis);

/** NULL is allowed. */
void fm_dependencies_free(struct fm_dependencies *dependencies);

/** @return the Enter of a call as a source. */
struct fm_awaited fm_awaited_enter(struct fm_call_ref call);

/** @return the time of an Enter or a junction in the measured run. */
uint64_t fm_awaited_time(const struct fm_trace *trace, const struct fm_dependencies *dependencies,
                         struct fm_awaited source);

/** States that `call`, of any process, depends on an Enter or a junction; ignored if the time of
 * this event is behind the call's Leave and it is not kept nevertheless. To be called in a stage
 * that fm_finders_run() runs, or in any stage if the worker owns the process. */
void fm_depend(const struct fm_analysis *analysis, unsigned worker, struct fm_call_ref call,
               struct fm_awaited source, fm_dependency_rule_t rule);

/** The same for an event at time t, of any kind of source. */
void fm_depend_at(const struct fm_analysis *analysis, unsigned worker, struct fm_call_ref call,
                  struct fm_awaited source, uint64_t t, fm_dependency_rule_t rule);

/** The same for a call that may have stretches: the one that contains t depends, else the first
 * behind it. @param call  its first stretch */
void fm_depend_in_stretch(const struct fm_analysis *analysis, unsigned worker,
                          struct fm_call_ref call, struct fm_awaited source, uint64_t t,
                          fm_dependency_rule_t rule);

/** States that a thread begins at a record to work for another thread of its process, which has
 * let it begin at a record of its own. To be called by the owner of the process. */
void fm_depend_start(const struct fm_analysis *analysis, uint32_t location, uint32_t row,
                     uint32_t origin_location, uint32_t origin_row, fm_dependency_rule_t rule);

/** The same for a thread that begins behind the Enter of a call of its process. */
void fm_depend_start_on_call(const struct fm_analysis *analysis, uint32_t location, uint32_t row,
                             struct fm_call_ref call, fm_dependency_rule_t rule);

/** @return the position of a mark among those of its location, which exists. O(log n) */
size_t fm_mark_position(const fm_mark_vector *marks, uint32_t row);

/** @return the position of the first dependency of a call, or of a later one if it has none; the
 * dependencies are sorted by their calls. O(log n) */
size_t fm_first_dependency(const fm_dependency_vector *dependencies, uint32_t activity);

/** Begins a junction. @param home  a process that takes part */
void fm_junction_begin(const struct fm_analysis *analysis, unsigned worker, uint32_t home);

/** Adds an event to the junction that the worker began last. */
void fm_junction_add(const struct fm_analysis *analysis, unsigned worker, struct fm_awaited source);

/** @return the junction that the worker began last, as a source. */
struct fm_awaited fm_junction_end(const struct fm_analysis *analysis, unsigned worker);

/** After the last dependency: sorts those of each location, and finds the calls that poll. Runs a
 * stage. */
void fm_dependencies_finish(struct fm_analysis *analysis);

#endif
