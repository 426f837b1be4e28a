/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/diagnosis.h"

#include "base/memory.h"
#include "diagnosis/hang/open_time.h"
#include "diagnosis/startup.h"

fm_metric_t fm_wait_state_kind(fm_metric_t metric)
{
    fm_metric_t kind = FM_METRIC_NONE;
    while (metric != FM_METRIC_NONE && fm_metric_info(metric)->is_wait_state) {
        kind = metric;
        metric = fm_metric_info(metric)->parent;
    }
    return kind;
}

/** Adds up the start-up of the locations. */
static void add_startup(struct fm_diagnosis *diagnosis)
{
    const struct fm_cube *cube = diagnosis->cube;
    int64_t *startup = fm_allocate(cube->location_count, sizeof *startup);
    bool *callpaths = fm_startup_callpaths(cube);
    for (size_t i = 0; i < cube->cell_count; i++) {
        const struct fm_cube_cell *cell = &cube->cells[i];
        if (fm_is_startup_cell(callpaths, cell)) {
            startup[cell->location] += cell->value;
            diagnosis->startup_of[cell->metric] += cell->value;
        }
    }
    for (uint32_t i = 0; i < cube->location_count; i++) {
        diagnosis->startup += startup[i];
        if (startup[i] > diagnosis->longest_startup) {
            diagnosis->longest_startup = startup[i];
        }
    }
    fm_free(callpaths);
    fm_free(startup);
}

static void add_open_times(struct fm_diagnosis *diagnosis)
{
    int64_t *times = fm_open_times(diagnosis->cube);
    if (times != NULL) {
        fm_add_open_times(diagnosis->cube, times, diagnosis->open_of);
        fm_free(times);
    }
}

fm_status_t fm_diagnosis_make(struct fm_diagnosis *diagnosis, const struct fm_cube *cube,
                              const struct fm_diagnosis_options *options, struct fm_error *error)
{
    struct fm_view view;
    struct fm_selection all = fm_selection_all();
    fm_status_t status = fm_view_prepare(&view, cube, &all, error);
    if (status != FM_OK) {
        return status;
    }
    *diagnosis =
        (struct fm_diagnosis){.cube = cube, .options = *options, .process = fm_process_word(cube)};
    fm_view_metrics(&view, diagnosis->exclusive, diagnosis->metrics);
    fm_view_release(&view);
    add_startup(diagnosis);
    add_open_times(diagnosis);
    diagnosis->time = diagnosis->metrics[FM_METRIC_TIME] - diagnosis->startup;
    for (unsigned i = 0; i < fm_metric_end(); i++) {
        fm_metric_t metric = (fm_metric_t)i;
        if (fm_wait_state_kind(metric) != FM_METRIC_NONE) {
            diagnosis->waiting += diagnosis->exclusive[i] - diagnosis->startup_of[i];
        }
    }
    return FM_OK;
}
