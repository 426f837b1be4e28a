/** @file
 * The metrics of the formation of each kind of wait state: who causes it, and what it is. */
#ifndef FERMATA_CUBE_MODEL_DELAY_KIND_H
#define FERMATA_CUBE_MODEL_DELAY_KIND_H

#include "cube/model/metric.h"

#include <stdbool.h>

struct fm_delay_metrics {
    bool is_contention;     /**< the wait ends when another process ends something (releases a
                                 lock), not when it begins something */
    fm_metric_t costs;      /**< parent of the next two */
    fm_metric_t short_term; /**< waiting time of the kind that a call path has caused directly */
    fm_metric_t long_term;  /**< waiting time elsewhere that these waits have caused in turn */
    fm_metric_t count;
    fm_metric_t direct;
    fm_metric_t indirect;
    fm_metric_t propagating;
    fm_metric_t terminal;
};

/** @return the kind of the wait states that are booked on `metric`; FM_DELAY_NONE if these are
 * none. */
fm_delay_kind_t fm_delay_kind(fm_metric_t metric);

/** @return the metrics of a kind; of FM_DELAY_NONE the roots of the trees of such metrics. */
const struct fm_delay_metrics *fm_delay_metrics(fm_delay_kind_t kind);

#endif
