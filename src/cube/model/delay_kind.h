/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The metrics of the formation of each kind of wait state: its delay costs and its classes (direct
 * or indirect, propagating or terminal). */
#ifndef FERMATA_CUBE_MODEL_DELAY_KIND_H
#define FERMATA_CUBE_MODEL_DELAY_KIND_H

#include "cube/model/metric.h"

#include <stdbool.h>

struct fm_delay_metrics {
    bool is_contention;     /**< the wait ends when another process ends a use (releases a lock),
                                 not when it begins a call */
    fm_metric_t costs;      /**< parent of short_term and long_term */
    fm_metric_t short_term; /**< waiting time of this kind that a call path has caused directly */
    fm_metric_t long_term;  /**< further waiting time, caused by the propagation of these waits */
    fm_metric_t blame;      /**< its waiting time, where others were waited for meanwhile */
    fm_metric_t count;      /**< number of wait states; the classes follow */
    fm_metric_t direct;
    fm_metric_t indirect;
    fm_metric_t propagating;
    fm_metric_t terminal;
    fm_metric_t polling; /**< its waiting time in polling loops */
};

/** @return the kind of wait state that `metric` measures; FM_DELAY_NONE if it is no wait state. */
fm_delay_kind_t fm_delay_kind(fm_metric_t metric);

/** @return the metrics of a kind; for FM_DELAY_NONE the roots of the trees of these metrics. */
const struct fm_delay_metrics *fm_delay_metrics(fm_delay_kind_t kind);

#endif
