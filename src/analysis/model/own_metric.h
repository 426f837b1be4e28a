/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The metric in the time tree for the own time of a call. */
#ifndef FERMATA_ANALYSIS_MODEL_OWN_METRIC_H
#define FERMATA_ANALYSIS_MODEL_OWN_METRIC_H

#include "cube/model/metric.h"
#include "trace/tables/trace.h"

/** @return the metric of the exclusive time of a region, from its paradigm and name. */
fm_metric_t fm_own_metric(const struct fm_region *region);

/** @return the metric that counts a call in the tree of file operations, or FM_METRIC_NONE. */
fm_metric_t fm_file_operation_metric(const struct fm_region *region);

/** @return whether calls of this region are progressing calls: the MPI library makes progress for
 * other processes in them. */
bool fm_makes_progress(const struct fm_region *region);

#endif
