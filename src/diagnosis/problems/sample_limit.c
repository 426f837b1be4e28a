/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/problems/sample_limit.h"

#include "base/memory.h"
#include "cube/view/view.h"
#include "diagnosis/problems/machine_load.h"

/* @return [location]: the sums of a metric over all call paths, to be freed; NULL without memory */
static int64_t *of_locations(const struct fm_cube *cube, fm_metric_t metric)
{
    struct fm_selection selection = fm_selection_all();
    struct fm_view view;
    struct fm_error error;
    selection.metric = metric;
    if (fm_view_prepare(&view, cube, &selection, &error) != FM_OK) {
        return NULL;
    }
    int64_t *values = fm_allocate(cube->location_count, sizeof *values);
    fm_view_locations(&view, values);
    fm_view_release(&view);
    return values;
}

struct fm_sample_limit fm_sample_limit_elsewhere(const struct fm_cube *cube,
                                                 const struct fm_cube_problem *cause)
{
    struct fm_sample_limit limit = {.is_sampled = false};
    if (cause->callpath == FM_CUBE_NONE || fm_cause_value(cube, FM_METRIC_SAMPLES, cause) == 0) {
        return limit;
    }
    int64_t *samples = of_locations(cube, FM_METRIC_SAMPLES);
    int64_t *computation = of_locations(cube, FM_METRIC_COMP);
    uint32_t next = 0;
    for (uint32_t l = 0; l < cube->location_count && samples != NULL && computation != NULL; l++) {
        if (fm_cube_problem_is_on(cause, l, &next) || computation[l] <= 0) {
            continue;
        }
        limit.is_sampled = true;
        limit.unsampled += samples[l] == 0;
        if (samples[l] != 0) {
            const int64_t most = (int64_t)(3 * (double)computation[l] / (double)samples[l]);
            limit.ticks = most > limit.ticks ? most : limit.ticks;
        }
    }
    fm_free(samples);
    fm_free(computation);
    return limit;
}
