/* SPDX-License-Identifier: BSD-3-Clause */
#include "cube/model/delay_kind.h"

#define FM_COSTS_SYNCHRONIZATION(SYMBOL)                                                           \
    .is_contention = false, .costs = FM_METRIC_DELAY_##SYMBOL##_AGGREGATE,                         \
    .short_term = FM_METRIC_DELAY_##SYMBOL, .long_term = FM_METRIC_DELAY_##SYMBOL##_LONGTERM
#define FM_COSTS_CONTENTION(SYMBOL)                                                                \
    .is_contention = true, .costs = FM_METRIC_INTERVAL_DELAY_##SYMBOL##_AGGREGATE,                 \
    .short_term = FM_METRIC_INTERVAL_DELAY_##SYMBOL,                                               \
    .long_term = FM_METRIC_INTERVAL_DELAY_##SYMBOL##_LONGTERM
#define FM_ROW(CAUSE, SYMBOL, id, name)                                                            \
    [FM_DELAY_##SYMBOL] = {                                                                        \
        FM_COSTS_##CAUSE(SYMBOL),                                                                  \
        .blame = FM_METRIC_BLAME_##SYMBOL,                                                         \
        .count = FM_METRIC_WAIT_COUNT_##SYMBOL,                                                    \
        .direct = FM_METRIC_WAIT_DIRECT_##SYMBOL,                                                  \
        .indirect = FM_METRIC_WAIT_INDIRECT_##SYMBOL,                                              \
        .propagating = FM_METRIC_WAIT_PROPAGATING_##SYMBOL,                                        \
        .terminal = FM_METRIC_WAIT_TERMINAL_##SYMBOL,                                              \
        .polling = FM_METRIC_##SYMBOL##_POLLING,                                                   \
    },

static const struct fm_delay_metrics delay_metrics[] = {
    FM_WAIT_KINDS(FM_ROW)[FM_DELAY_NONE] =
        {
            .costs = FM_METRIC_DELAY,
            .short_term = FM_METRIC_DELAY,
            .long_term = FM_METRIC_DELAY,
            .blame = FM_METRIC_BLAME,
            .count = FM_METRIC_WAIT_COUNT,
            .direct = FM_METRIC_WAIT_DIRECT,
            .indirect = FM_METRIC_WAIT_INDIRECT,
            .propagating = FM_METRIC_WAIT_PROPAGATING,
            .terminal = FM_METRIC_WAIT_TERMINAL,
            .polling = FM_METRIC_POLLING,
        },
};

fm_delay_kind_t fm_delay_kind(fm_metric_t metric)
{
    return fm_metric_info(metric)->delay_kind;
}

const struct fm_delay_metrics *fm_delay_metrics(fm_delay_kind_t kind)
{
    return &delay_metrics[kind];
}
