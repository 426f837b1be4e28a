/** @file
 * Which node of the time tree a call's own time belongs to. */
#ifndef FERMATA_ANALYSIS_MODEL_OWN_METRIC_H
#define FERMATA_ANALYSIS_MODEL_OWN_METRIC_H

#include "cube/model/metric.h"
#include "trace/tables/trace.h"

/** @return the node for the exclusive time of a region, from its paradigm and name. */
fm_metric_t fm_own_metric(const struct fm_region *region);

/** @return the node of the tree of file operations that a call counts in, or FM_METRIC_NONE. */
fm_metric_t fm_file_operation_metric(const struct fm_region *region);

/** @return whether a call of this region lets the library work on what others want from it. */
bool fm_makes_progress(const struct fm_region *region);

#endif
