/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/startup.h"

#include "base/memory.h"
#include "cube/view/view.h"
#include "functions/function_kind.h"

#include <string.h>

static bool is_wait_at_finalize(fm_metric_t metric)
{
    return fm_metric_info(metric)->delay_kind == FM_DELAY_FINALIZE;
}

bool fm_is_startup(fm_metric_t metric)
{
    return (!is_wait_at_finalize(metric) && fm_metric_is_within(metric, FM_METRIC_MPI_INIT_EXIT)) ||
           fm_metric_info(metric)->delay_kind == FM_DELAY_INIT;
}

bool fm_is_communication(fm_metric_t metric)
{
    while (metric != FM_METRIC_NONE) {
        if (metric == FM_METRIC_MPI || metric == FM_METRIC_SHMEM || metric == FM_METRIC_ARMCI ||
            metric == FM_METRIC_CAF || metric == FM_METRIC_C10D) {
            return true;
        }
        metric = fm_metric_info(metric)->parent;
    }
    return false;
}

bool fm_is_startup_region(const struct fm_cube_region *region)
{
    fm_paradigm_t paradigm = fm_paradigm_of_function(region->name);
    if (strcmp(fm_paradigm_name(paradigm), region->paradigm) != 0) {
        return false;
    }
    fm_call_t call = fm_function_kind(paradigm, region->name).call;
    return call == FM_CALL_INIT || call == FM_CALL_FINALIZE;
}

bool *fm_startup_callpaths(const struct fm_cube *cube)
{
    bool *regions = fm_allocate(cube->region_count, sizeof *regions);
    bool *callpaths = fm_allocate(cube->callpath_count, sizeof *callpaths);
    for (uint32_t i = 0; i < cube->region_count; i++) {
        regions[i] = fm_is_startup_region(&cube->regions[i]);
    }
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        callpaths[i] = regions[cube->callpaths[i].region];
    }
    fm_free(regions);
    return callpaths;
}

bool fm_is_startup_cell(const bool *callpaths, const struct fm_cube_cell *cell)
{
    fm_metric_t metric = (fm_metric_t)cell->metric;
    return fm_is_startup(metric) ||
           (callpaths[cell->callpath] && fm_metric_root(metric) == FM_METRIC_TIME &&
            !is_wait_at_finalize(metric));
}
