/** @file
 * Kinds of wait states as the metrics of their formation name them. */
#ifndef FERMATA_CUBE_MODEL_DELAY_KIND_H
#define FERMATA_CUBE_MODEL_DELAY_KIND_H

#include "cube/model/metric.h"

#include <stdbool.h>

/** The kinds, contention last, in the order of their metrics. */
typedef enum {
#define FM_SYNCHRONIZATION_KIND(SYMBOL, id, name) FM_DELAY_##SYMBOL,
#define FM_CONTENTION_KIND(SYMBOL, id, name)      FM_DELAY_##SYMBOL,
#include "cube/model/delay_kinds.def"
#undef FM_SYNCHRONIZATION_KIND
#undef FM_CONTENTION_KIND
    FM_DELAY_KINDS
} fm_delay_kind_t;

/** @return the kind of the wait states that are booked on `metric`. */
fm_delay_kind_t fm_delay_kind(fm_metric_t metric);

/** @return whether the wait ends when somebody ends something, not when somebody begins it. */
bool fm_delay_is_contention(fm_delay_kind_t kind);

/** @return the metric of the direct (short-term) or indirect (long-term) costs of a kind. */
fm_metric_t fm_delay_cost_metric(fm_delay_kind_t kind, bool longterm);

/** @return the metric of a kind below a parent whose children are the kinds in order: WAIT_COUNT,
 * WAIT_DIRECT, WAIT_INDIRECT, WAIT_PROPAGATING, WAIT_TERMINAL. */
fm_metric_t fm_delay_wait_metric(fm_metric_t parent, fm_delay_kind_t kind);

#endif
