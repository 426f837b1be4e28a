/** @file
 * Dependencies: the events on which calls depend, whether they waited for them or not. The
 * prediction of changed runs (whatif/replay.h) follows them; docs/whatif.md has the rules.
 *
 * A call depends on an event at time t, which is the Enter of another call, by the rule that also
 * finds its wait states. Only dependencies with t <= Leave of the call are kept: what happened
 * later cannot have ended the call. A call that depends on many events at once (a collective
 * operation) depends on a junction: the latest of them.
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

struct fm_analysis;
struct fm_call_ref;

/** Rules by which a call depends on an event. */
typedef enum {
#define FM_DEPENDENCY_RULE(rule, text) FM_DEPENDS_ON_##rule,
#include "analysis/dependencies/dependency_rules.def"
#undef FM_DEPENDENCY_RULE
    FM_DEPENDENCY_RULES
} fm_dependency_rule_t;

/** Kinds of events that calls depend on. */
typedef enum {
    FM_AWAITED_ENTER,   /**< Enter of activity `index` of location `place` */
    FM_AWAITED_JUNCTION /**< junction `index` of table `place` */
} fm_awaited_kind_t;

/** An event. At most 2^30 locations. */
struct fm_awaited {
    uint32_t place : 30;
    uint32_t kind : 2; /**< fm_awaited_kind_t */
    uint32_t index;
};

/** A call depends on an event. */
struct fm_dependency {
    struct fm_awaited source;
    uint32_t activity; /**< the call that depends */
    uint8_t rule;      /**< fm_dependency_rule_t */
    bool dropped;      /**< it closes a circle of dependencies at one time: not followed */
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

struct fm_dependencies {
    fm_dependency_vector *of_location; /**< [location]: ascending by activity and rule */
    fm_polling_vector *pollings;       /**< [location]: ascending */
    struct fm_junction_table *tables;  /**< [worker of the analysis] */
    unsigned table_count;
    uint32_t location_count;
    atomic_uint_fast64_t unbound; /**< dependencies on events that came too late: clocks disagree,
                                       or the call did not wait for all */
};

/** @return no dependencies yet, to be freed with fm_dependencies_free() */
struct fm_dependencies *fm_dependencies_create(const struct fm_analysis *analysis);

/** NULL is allowed. */
void fm_dependencies_free(struct fm_dependencies *dependencies);

/** @return the Enter of a call as a source. */
struct fm_awaited fm_awaited_enter(struct fm_call_ref call);

/** @return the time of a source in the measured run. */
uint64_t fm_awaited_time(const struct fm_trace *trace, const struct fm_dependencies *dependencies,
                         struct fm_awaited source);

/** States that `call`, of any process, depends on a source; ignored if the source's time is behind
 * the call's Leave. To be called in a stage that fm_finders_run() runs. */
void fm_depend(const struct fm_analysis *analysis, unsigned worker, struct fm_call_ref call,
               struct fm_awaited source, fm_dependency_rule_t rule);

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
