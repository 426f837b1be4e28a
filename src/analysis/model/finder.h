/** @file
 * How a pattern reports what it has found: wait states, parts of wait states and counts.
 *
 * All functions but fm_found_remote_wait() and fm_found_remote_part() are for calls of processes
 * that the worker owns.
 */
#ifndef FERMATA_ANALYSIS_MODEL_FINDER_H
#define FERMATA_ANALYSIS_MODEL_FINDER_H

#include "analysis/model/run.h"

/** A pattern at work. */
struct fm_finder {
    struct fm_analysis *analysis;
    unsigned worker;
    uint8_t precedence; /**< of the pattern: its position in patterns.def */
};

/** `call` waits for `cause`, which was entered (or, of locks, left) at `t`. Whether this becomes
 * its wait state, all patterns together decide.
 * @return false if the call cannot have waited: see fm_location_waits() */
bool fm_found_wait(const struct fm_finder *finder, struct fm_call_ref call, uint64_t t,
                   struct fm_call_ref cause, fm_metric_t metric);

/** As fm_found_wait() for any process, in a stage that fm_finders_run() runs. Enter < t <= Leave
 * must hold.
 * @param of_operations  the metric if `call` is a one-sided operation; often `metric`, too */
void fm_found_remote_wait(const struct fm_finder *finder, struct fm_call_ref call, uint64_t t,
                          struct fm_call_ref cause, fm_metric_t metric, fm_metric_t of_operations);

/** A part of a call's time. */
void fm_found_part(const struct fm_finder *finder, uint32_t location, const struct fm_part *part);

/** As fm_found_part() for any process, in a stage that fm_finders_run() runs. */
void fm_found_remote_part(const struct fm_finder *finder, uint32_t location,
                          const struct fm_part *part);

/** Adds to a metric that counts, at the call path of `call`. */
void fm_found_count(const struct fm_finder *finder, struct fm_call_ref call, fm_metric_t metric,
                    uint64_t count);

/** All members of a collective operation were in it at once, from `t` on. */
void fm_found_group_point(const struct fm_finder *finder, uint32_t location,
                          const struct fm_group_point *point);

/** Prepares an analysis for findings. */
void fm_finders_open(struct fm_analysis *analysis);
void fm_finders_close(struct fm_analysis *analysis);

/** Runs a stage in which findings for other processes are reported, too. Collective. */
void fm_finders_run(struct fm_analysis *analysis, fm_stage_t *stage, void *context);

#endif
