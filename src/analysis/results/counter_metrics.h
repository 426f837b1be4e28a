/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Metrics of the counters of a trace: counter:NAME, the growth of totals by call path and location.
 */
#ifndef FERMATA_ANALYSIS_RESULTS_COUNTER_METRICS_H
#define FERMATA_ANALYSIS_RESULTS_COUNTER_METRICS_H

#include "cube/model/metric.h"
#include "trace/tables/trace.h"

/** Declares a metric for each counter of the trace that is a total. All processes of a team get the
 * same metrics.
 * @return [counter]: its metric; FM_METRIC_NONE: it is a level, its metric is one of the table, or
 * there are too many metrics; to be freed with fm_free() */
fm_metric_t *fm_counter_metrics(const struct fm_trace *trace);

/** @return number of counters that are totals and have no metric because there are too many. */
uint32_t fm_counters_left_out(const struct fm_trace *trace);

/** @return the value of a growth in a report: ticks of times, else the nearest whole number. */
int64_t fm_counter_metric_value(const struct fm_trace *trace,
                                const struct fm_counter_growth *growth);

#endif
