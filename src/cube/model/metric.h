/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The only table of metrics: name, place in the tree, meaning, formula and advice of each metric.
 * Analysis, reports, exports and manual are derived from this table.
 */
#ifndef FERMATA_CUBE_MODEL_METRIC_H
#define FERMATA_CUBE_MODEL_METRIC_H

#include <stdbool.h>
#include <stdint.h>

/** Upper limit of the number of metrics that are declared: by patterns of the user, and for
 * counters. */
#define FM_USER_METRICS 128

/** Every metric of the table, in table order: FM_METRIC_<id in upper case>; then those that
 * are declared: by patterns of the user, and for counters (fm_metric_declare()). A parent always
 * precedes its children. */
typedef enum {
#define FM_METRIC(symbol, ...) FM_METRIC_##symbol,
#include "cube/model/metrics.def"
#undef FM_METRIC
    FM_METRIC_USER, /**< the first declared one, if there is any */
    FM_METRIC_COUNT = FM_METRIC_USER + FM_USER_METRICS
} fm_metric_t;

#define FM_METRIC_NONE FM_METRIC_COUNT

/** The first metric of the formation of wait states; all metrics of the table after it belong to
 * it, too. */
#define FM_METRIC_FORMATION FM_METRIC_DELAY

/** Every kind of wait state, in table order: FM_DELAY_<SYMBOL>. */
typedef enum {
#define FM_ROW(CAUSE, SYMBOL, id, name) FM_DELAY_##SYMBOL,
    FM_WAIT_KINDS(FM_ROW)
#undef FM_ROW
        FM_DELAY_NONE /**< for metrics that are no wait states; also the number of kinds */
} fm_delay_kind_t;

/** Unit and representation of a metric's values. */
typedef enum {
    FM_UNIT_TICKS,       /**< exact integer clock ticks; shown as seconds ("sec") */
    FM_UNIT_OCCURRENCES, /**< exact integer ("occ") */
    FM_UNIT_BYTES,       /**< exact integer ("bytes") */
    FM_UNIT_COST /**< fixed-point ticks: value * 2^-cost_shift of the cube; shown as seconds.
                      Shares of waiting times are no whole ticks, yet their sums must not
                      depend on the order of addition */
} fm_unit_t;

struct fm_metric_info {
    const char *id;     /**< unique, lower case, as other tools use it */
    fm_metric_t parent; /**< FM_METRIC_NONE for a root */
    const char *name;   /**< title for display */
    fm_unit_t unit;
    bool is_wait_state; /**< a kind of wait state (arbitrated, with statistics) or part of one */
    fm_delay_kind_t delay_kind; /**< FM_DELAY_NONE unless is_wait_state */
    const char *description;    /**< what it is, in one or two sentences */
    const char *formula;        /**< how one instance is computed, with its source */
    const char *advice;         /**< how to reduce the value; "": none */
};

/** Declares a metric for the rest of the process: reports that have it and those that do not may be
 * read in one process.
 * @param info  its strings are copied, control characters in them as spaces. The id consists of
 * lower-case letters, digits and "_", after the prefix "counter:" also "." and ":", and begins with
 * a letter; the parent must exist and have the same unit; a part of a wait state takes the kind of
 * its parent, the fields in `info` are ignored
 * @return the metric, also if it was declared before with the same unit and parent (its texts stay
 *         as they were); FM_METRIC_NONE: the id means something else, is no id, or there are
 *         FM_USER_METRICS already. Thread-safe. */
fm_metric_t fm_metric_declare(const struct fm_metric_info *info);

/** Lists the metrics that exist in the order of their trees: each declared one behind its parent
 * and the parent's other parts.
 * @param order  out
 * @return their number */
unsigned fm_metrics_in_order(fm_metric_t order[FM_METRIC_COUNT]);

/** @return the end of the metrics that exist: those of the table and the declared ones. */
unsigned fm_metric_end(void);

/** @return the row of `metric`, which must be below FM_METRIC_COUNT. A metric that is not declared
 * is a root with empty strings and has no values. Thread-safe. */
const struct fm_metric_info *fm_metric_info(fm_metric_t metric);

/** @return the metric with this id, or FM_METRIC_NONE. Thread-safe. */
fm_metric_t fm_metric_by_id(const char *id);

/** @return the root of the tree that `metric` belongs to. */
fm_metric_t fm_metric_root(fm_metric_t metric);

/** @return whether values of the unit are shown as seconds. */
static inline bool fm_unit_is_time(fm_unit_t unit)
{
    return unit == FM_UNIT_TICKS || unit == FM_UNIT_COST;
}

/** @return "sec", "occ" or "bytes". */
const char *fm_unit_name(fm_unit_t unit);

#endif
