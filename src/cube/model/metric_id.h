/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Ids of the metrics of counters. No pattern of the user can have such an id.
 */
#ifndef FERMATA_CUBE_MODEL_METRIC_ID_H
#define FERMATA_CUBE_MODEL_METRIC_ID_H

#include "cube/model/metric.h"

#include <string.h>

enum { FM_METRIC_ID_SIZE = 81 };

/** What the ids of the metrics of counters begin with. */
#define FM_METRIC_OF_COUNTER "counter:"

/** @return whether the metric is that of a counter. */
static inline bool fm_metric_is_counter(fm_metric_t metric)
{
    return strncmp(fm_metric_info(metric)->id, FM_METRIC_OF_COUNTER,
                   strlen(FM_METRIC_OF_COUNTER)) == 0;
}

/** Writes the id of the metric of a counter: "counter:NAME" in lower case, with "_" for each
 * character that an id cannot have; long names are cut. */
void fm_metric_counter_id(char id[FM_METRIC_ID_SIZE], const char *name);

/** @return the metric that a user names: by its id; that of a counter also by "counter:NAME" with
 * the counter's own name, in any case, with or without the prefix OMPI_SPC_ of Open MPI's counters.
 * FM_METRIC_NONE: there is none. Thread-safe. */
fm_metric_t fm_metric_named(const char *text);

/** Whether a wildcard pattern (fnmatch) of metric ids matches a metric; of counters also as in
 * fm_metric_named(). */
bool fm_metric_matches(fm_metric_t metric, const char *pattern);

#endif
