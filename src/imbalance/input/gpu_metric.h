/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The quantities that are taken from profiles of accelerators (gpu_metrics.def).
 */
#ifndef FERMATA_IMBALANCE_INPUT_GPU_METRIC_H
#define FERMATA_IMBALANCE_INPUT_GPU_METRIC_H

#include <stddef.h>

typedef enum {
#define FM_GPU_METRIC(symbol, column, kind, name) FM_GPU_##symbol,
#define FM_GPU_METRIC_NAME(symbol, name, whole)
#include "imbalance/input/gpu_metrics.def"
#undef FM_GPU_METRIC
#undef FM_GPU_METRIC_NAME
    FM_GPU_METRIC_COUNT
} fm_gpu_metric_t;

enum fm_gpu_kind { FM_GPU_FRACTION, FM_GPU_SECONDS, FM_GPU_CYCLES };

struct fm_gpu_metric {
    const char *column; /**< in own tables */
    enum fm_gpu_kind kind;
    const char *name; /**< for readers */
};

/** A name of a metric in a profile. */
struct fm_gpu_metric_name {
    fm_gpu_metric_t metric;
    const char *name;
    double whole;  /**< the value that is 1, without unit */
    unsigned rank; /**< among the names of its metric: 0 is the best one */
};

/** @return the row of a metric, constant. */
const struct fm_gpu_metric *fm_gpu_metric_info(fm_gpu_metric_t metric);

/** Finds what a profile calls "NAME", "DESCRIPTION" or "DESCRIPTION (NAME)".
 * @return NULL: nothing that is used */
const struct fm_gpu_metric_name *fm_gpu_metric_find(const char *name);

#endif
