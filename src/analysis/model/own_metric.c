/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/model/own_metric.h"

#include "analysis/libraries/library_metrics.h"
#include "functions/function_kind.h"

#include <stddef.h>

fm_metric_t fm_own_metric(const struct fm_region *region)
{
    if (region->paradigm == FM_PARADIGM_MEASUREMENT) {
        return FM_METRIC_OVERHEAD;
    }
    const char *id = fm_function_kind(region->paradigm, region->name).own_metric;
    return id == NULL ? FM_METRIC_COMP : fm_metric_by_id(id);
}

bool fm_makes_progress(const struct fm_region *region)
{
    return fm_is_library(region->paradigm) &&
           fm_function_kind(region->paradigm, region->name).progresses;
}

fm_metric_t fm_file_operation_metric(const struct fm_region *region)
{
    if (region->paradigm != FM_PARADIGM_MPI) {
        return FM_METRIC_NONE;
    }
    struct fm_function_kind kind = fm_function_kind(region->paradigm, region->name);
    if (!kind.reads_file && !kind.writes_file) {
        return FM_METRIC_NONE;
    }
    if (fm_own_metric(region) == FM_METRIC_MPI_IO_COLLECTIVE) {
        return kind.reads_file ? FM_METRIC_MPI_FILE_CROPS : FM_METRIC_MPI_FILE_CWOPS;
    }
    return kind.reads_file ? FM_METRIC_MPI_FILE_IROPS : FM_METRIC_MPI_FILE_IWOPS;
}
