#include "cube/model/metric.h"

#include <string.h>

static const struct fm_metric_info metric_table[] = {
#define FM_METRIC(symbol, id, parent, name, unit, kind, description, formula, advice)              \
    {id,                                                                                           \
     FM_METRIC_##parent,                                                                           \
     name,                                                                                         \
     FM_UNIT_##unit,                                                                               \
     FM_DELAY_##kind != FM_DELAY_NONE,                                                             \
     FM_DELAY_##kind,                                                                              \
     description,                                                                                  \
     formula,                                                                                      \
     advice},
#include "cube/model/metrics.def"
#undef FM_METRIC
};

const struct fm_metric_info *fm_metric_info(fm_metric_t metric)
{
    return &metric_table[metric];
}

fm_metric_t fm_metric_by_id(const char *id)
{
    for (unsigned i = 0; i < FM_METRIC_COUNT; i++) {
        if (strcmp(metric_table[i].id, id) == 0)
            return (fm_metric_t)i;
    }
    return FM_METRIC_NONE;
}

fm_metric_t fm_metric_root(fm_metric_t metric)
{
    while (metric_table[metric].parent != FM_METRIC_NONE)
        metric = metric_table[metric].parent;
    return metric;
}

const char *fm_unit_name(fm_unit_t unit)
{
    switch (unit) {
    case FM_UNIT_TICKS:
    case FM_UNIT_COST:
        return "sec";
    case FM_UNIT_OCCURRENCES:
        return "occ";
    case FM_UNIT_BYTES:
        return "bytes";
    }
    return "";
}
