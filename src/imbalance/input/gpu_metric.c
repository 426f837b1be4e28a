/* SPDX-License-Identifier: BSD-3-Clause */
#include "imbalance/input/gpu_metric.h"

#include <string.h>

static const struct fm_gpu_metric metrics[] = {
#define FM_GPU_METRIC(symbol, column, kind, name) {column, FM_GPU_##kind, name},
#define FM_GPU_METRIC_NAME(symbol, name, whole)
#include "imbalance/input/gpu_metrics.def"
#undef FM_GPU_METRIC
#undef FM_GPU_METRIC_NAME
};

/* Ranks are the places in the table: they compare names of one metric only. */
static const struct fm_gpu_metric_name names[] = {
#define FM_GPU_METRIC(symbol, column, kind, name)
#define FM_GPU_METRIC_NAME(symbol, name, whole) {FM_GPU_##symbol, name, whole, __COUNTER__},
#include "imbalance/input/gpu_metrics.def"
#undef FM_GPU_METRIC
#undef FM_GPU_METRIC_NAME
};

const struct fm_gpu_metric *fm_gpu_metric_info(fm_gpu_metric_t metric)
{
    return &metrics[metric];
}

const struct fm_gpu_metric_name *fm_gpu_metric_find(const char *name)
{
    const char *open = strrchr(name, '(');
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const size_t length = strlen(names[i].name);
        if (strcmp(name, names[i].name) == 0 ||
            (open != NULL && strncmp(open + 1, names[i].name, length) == 0 &&
             strcmp(open + 1 + length, ")") == 0)) {
            return &names[i];
        }
    }
    return NULL;
}
