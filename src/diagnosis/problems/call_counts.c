/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/problems/call_counts.h"

#include "base/memory.h"

/** @return [location]: visits of the call paths of a cause; to be freed with fm_free() */
static int64_t *count_visits(const struct fm_cube *cube, const struct fm_cube_problem *cause)
{
    int64_t *visits = fm_allocate(cube->location_count, sizeof *visits);
    for (size_t i = 0; i < cube->cell_count; i++) {
        const struct fm_cube_cell *cell = &cube->cells[i];
        if (cell->metric == FM_METRIC_VISITS &&
            fm_cube_problem_is_at(cube, cause, cell->callpath)) {
            visits[cell->location] += cell->value;
        }
    }
    return visits;
}

struct fm_call_counts fm_call_counts_of(const struct fm_cube *cube,
                                        const struct fm_cube_problem *cause)
{
    struct fm_call_counts counts = {0};
    const struct fm_cube_excess *excess = &cause->excess;
    if (cause->callpath == FM_CUBE_NONE ||
        cube->regions[cube->callpaths[cause->callpath].region].is_estimated) {
        return counts;
    }
    int64_t *visits = count_visits(cube, cause), others = 0;
    uint32_t next = 0;
    for (uint32_t l = 0; l < cube->location_count; l++) {
        if (fm_cube_problem_is_on(cause, l, &next)) {
            counts.there += visits[l];
        } else if (visits[l] > 0) {
            counts.elsewhere += visits[l];
            others++;
        }
    }
    fm_free(visits);
    counts.there /= cause->location_count > 0 ? cause->location_count : 1;
    counts.elsewhere /= others > 0 ? others : 1;
    if (excess->is_known && excess->there > excess->elsewhere && counts.elsewhere > 0) {
        const double ratio = (double)counts.there / (double)counts.elsewhere;
        counts.explains_the_time =
            (ratio - 1) * (double)excess->elsewhere >=
            FM_CUBE_MOST_OF_EXCESS * (double)(excess->there - excess->elsewhere);
    }
    return counts;
}
