/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The functions with which a pattern reports its findings: wait states, parts of wait states and
 * counts.
 *
 * All functions but fm_found_remote_wait() and fm_found_remote_part() are for calls of processes
 * that the worker owns.
 */
#ifndef FERMATA_ANALYSIS_MODEL_FINDER_H
#define FERMATA_ANALYSIS_MODEL_FINDER_H

#include "analysis/model/run.h"

/** The context of a pattern's call. */
struct fm_finder {
    struct fm_analysis *analysis;
    unsigned worker;
    uint8_t precedence; /**< of the pattern: its position in patterns.def */
};

/** Proposes a candidate: `call` waits for `cause`, which was entered (or, for locks, left) at `t`.
 * The arbitration decides whether it becomes the wait state of the call.
 * @return false if the call cannot have waited: see fm_location_waits() */
bool fm_found_wait(const struct fm_finder *finder, struct fm_call_ref call, uint64_t t,
                   struct fm_call_ref cause, fm_metric_t metric);

/** As fm_found_wait() for a call of any process, in a stage that fm_finders_run() runs. Enter < t
 * <= Leave must hold.
 * @param of_operations  the metric if `call` is a one-sided operation; often equal to `metric` */
void fm_found_remote_wait(const struct fm_finder *finder, struct fm_call_ref call, uint64_t t,
                          struct fm_call_ref cause, fm_metric_t metric, fm_metric_t of_operations);

/** Reports a part of a call's time. */
void fm_found_part(const struct fm_finder *finder, uint32_t location, const struct fm_part *part);

/** As fm_found_part() for a call of any process, in a stage that fm_finders_run() runs. */
void fm_found_remote_part(const struct fm_finder *finder, uint32_t location,
                          const struct fm_part *part);

/** Adds to a metric that counts, at the call path of `call`. */
void fm_found_count(const struct fm_finder *finder, struct fm_call_ref call, fm_metric_t metric,
                    uint64_t count);

/** Reports that all members of a collective operation were inside it at the time `point->t`. */
void fm_found_group_point(const struct fm_finder *finder, uint32_t location,
                          const struct fm_group_point *point);

/** Opens and closes the transfer of findings to other processes. */
void fm_finders_open(struct fm_analysis *analysis);
void fm_finders_close(struct fm_analysis *analysis);

/** Runs a stage that may report findings for other processes. Collective. */
void fm_finders_run(struct fm_analysis *analysis, fm_stage_t *stage, void *context);

#endif
