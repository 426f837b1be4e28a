#include "diagnosis/diagnosis.h"

fm_metric_t fm_wait_state_kind(fm_metric_t metric)
{
    fm_metric_t kind = FM_METRIC_NONE;
    while (metric != FM_METRIC_NONE && fm_metric_info(metric)->is_wait_state) {
        kind = metric;
        metric = fm_metric_info(metric)->parent;
    }
    return kind;
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
    *diagnosis = (struct fm_diagnosis){.cube = cube, .options = *options};
    fm_view_metrics(&view, diagnosis->exclusive, diagnosis->metrics);
    fm_view_release(&view);
    for (unsigned i = 0; i < FM_METRIC_COUNT; i++) {
        if (fm_wait_state_kind((fm_metric_t)i) == (fm_metric_t)i) {
            diagnosis->waiting += diagnosis->metrics[i];
        }
    }
    return FM_OK;
}
