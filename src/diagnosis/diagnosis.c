#include "diagnosis/diagnosis.h"

#include "base/memory.h"

fm_metric_t fm_wait_state_kind(fm_metric_t metric)
{
    fm_metric_t kind = FM_METRIC_NONE;
    while (metric != FM_METRIC_NONE && fm_metric_info(metric)->is_wait_state) {
        kind = metric;
        metric = fm_metric_info(metric)->parent;
    }
    return kind;
}

bool fm_is_startup(fm_metric_t metric)
{
    return (metric != FM_METRIC_MPI_FINALIZE_WAIT &&
            fm_metric_is_within(metric, FM_METRIC_MPI_INIT_EXIT)) ||
           metric == FM_METRIC_SHMEM_INIT_WAIT || metric == FM_METRIC_ARMCI_INIT_WAIT ||
           metric == FM_METRIC_CAF_INIT_WAIT;
}

/** Adds up the start-up of the locations. */
static void add_startup(struct fm_diagnosis *diagnosis)
{
    const struct fm_cube *cube = diagnosis->cube;
    int64_t *startup = fm_allocate(cube->location_count, sizeof *startup);
    for (unsigned m = 0; m < FM_METRIC_COUNT; m++) {
        if (!fm_is_startup((fm_metric_t)m)) {
            continue;
        }
        size_t count;
        const struct fm_cube_cell *cells = fm_cube_metric_cells(cube, (fm_metric_t)m, &count);
        for (size_t i = 0; i < count; i++) {
            startup[cells[i].location] += cells[i].value;
        }
    }
    for (uint32_t i = 0; i < cube->location_count; i++) {
        diagnosis->startup += startup[i];
        if (startup[i] > diagnosis->longest_startup) {
            diagnosis->longest_startup = startup[i];
        }
    }
    fm_free(startup);
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
    diagnosis->time = diagnosis->metrics[FM_METRIC_TIME] - diagnosis->startup;
    for (unsigned i = 0; i < FM_METRIC_COUNT; i++) {
        fm_metric_t metric = (fm_metric_t)i;
        if (fm_wait_state_kind(metric) == metric && !fm_is_startup(metric)) {
            diagnosis->waiting += diagnosis->metrics[i];
        }
    }
    return FM_OK;
}
