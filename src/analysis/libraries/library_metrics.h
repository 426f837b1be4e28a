/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The metrics of the wait states that several programming models have: one rule finds them, and
 * each model calls them its own (library_metrics.def).
 */
#ifndef FERMATA_ANALYSIS_LIBRARIES_LIBRARY_METRICS_H
#define FERMATA_ANALYSIS_LIBRARIES_LIBRARY_METRICS_H

#include "cube/model/metric.h"
#include "functions/paradigm_names.h"

#include <stdbool.h>

/** Number of programming models that communicate between processes. */
#define FM_LIBRARIES 5

/** The rules. */
typedef enum {
#define FM_LIBRARY_METRICS(rule, ...) FM_RULE_##rule,
#include "analysis/libraries/library_metrics.def"
#undef FM_LIBRARY_METRICS
    FM_RULES
} fm_rule_t;

/** @return the metric of a rule in a programming model; FM_METRIC_NONE: the model has none. */
fm_metric_t fm_library_metric(fm_paradigm_t paradigm, fm_rule_t rule);

/** @return whether calls of a programming model communicate between processes: MPI, SHMEM, ARMCI,
 * coarrays, torch.distributed. */
bool fm_is_library(fm_paradigm_t paradigm);

/** @return whether a metric is the own time of calls that synchronize one-sided communication, not
 * that of operations. */
bool fm_is_one_sided_synchronization(fm_metric_t own);

#endif
