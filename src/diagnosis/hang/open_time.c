/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/hang/open_time.h"

#include "base/memory.h"
#include "cube/view/view.h"
#include "diagnosis/startup.h"

int64_t *fm_open_times(const struct fm_cube *cube)
{
    size_t count;
    const struct fm_cube_cell *cells = fm_cube_metric_cells(cube, FM_METRIC_OPEN_CALL, &count);
    if (count == 0) {
        return NULL;
    }
    int64_t *times = fm_allocate(cube->callpath_count, sizeof *times);
    bool *startup = fm_startup_callpaths(cube);
    for (size_t i = 0; i < count; i++) {
        times[cells[i].callpath] += startup[cells[i].callpath] ? 0 : cells[i].value;
    }
    fm_free(startup);
    return times;
}

void fm_add_open_times(const struct fm_cube *cube, const int64_t *times, int64_t *metrics)
{
    struct most {
        fm_metric_t metric;
        int64_t ticks;
    } *most = fm_allocate(cube->callpath_count, sizeof *most);
    fm_metric_t metric = FM_METRIC_NONE;
    int64_t ticks = 0;
    for (size_t i = 0; i < cube->cell_count; i++) { /* in the order of metrics, then call paths */
        const struct fm_cube_cell *cell = &cube->cells[i];
        const bool is_same =
            i > 0 && cell[-1].metric == cell->metric && cell[-1].callpath == cell->callpath;
        metric = (fm_metric_t)cell->metric;
        ticks = (is_same ? ticks : 0) + cell->value;
        if (times[cell->callpath] > 0 && fm_metric_root(metric) == FM_METRIC_TIME &&
            !fm_metric_info(metric)->is_wait_state && ticks > most[cell->callpath].ticks) {
            most[cell->callpath] = (struct most){metric, ticks};
        }
    }
    for (uint32_t c = 0; c < cube->callpath_count; c++) {
        metrics[most[c].metric] += most[c].ticks > 0 ? times[c] : 0;
    }
    fm_free(most);
}
