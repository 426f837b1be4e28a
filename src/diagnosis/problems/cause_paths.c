/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/problems/cause_paths.h"

#include "base/memory.h"

#include <string.h>

/* What other problems of the same locations are: functions, by region, or call paths. */
struct others {
    bool *is_region, *is_callpath;
};

static struct others find_others(const struct fm_cube *cube, const struct fm_cube_problem *cause)
{
    const struct others others = {
        .is_region = fm_allocate(cube->region_count, sizeof *others.is_region),
        .is_callpath = fm_allocate(cube->callpath_count, sizeof *others.is_callpath),
    };
    for (uint32_t i = 0; cause->is_function && i < cube->problem_count; i++) {
        const struct fm_cube_problem *other = &cube->problems[i];
        if (other->kind != cause->kind || fm_cube_problem_is_at(cube, cause, other->callpath) ||
            !fm_cube_locations_meet(cause->locations, cause->location_count, other->locations,
                                    other->location_count)) {
            continue;
        }
        if (other->is_function && !other->in_one_callpath) {
            others.is_region[cube->callpaths[other->callpath].region] = true;
        } else {
            others.is_callpath[other->callpath] = true;
        }
    }
    return others;
}

bool *fm_cause_paths(const struct fm_cube *cube, const struct fm_cube_problem *cause)
{
    bool *is_part = fm_allocate(cube->callpath_count, sizeof *is_part);
    const struct others others = find_others(cube, cause);
    for (uint32_t c = 0; c < cube->callpath_count; c++) { /* callers come first */
        const uint32_t function = fm_cube_function_of(cube, c);
        const uint32_t parent = cube->callpaths[function].parent;
        const uint32_t region = cube->callpaths[function].region;
        is_part[c] = fm_cube_problem_is_at(cube, cause, function) ||
                     (cause->is_function && parent != FM_CUBE_NONE && is_part[parent] &&
                      !others.is_region[region] && !others.is_callpath[function] &&
                      strcmp(cube->regions[region].paradigm, "user") == 0);
    }
    fm_free(others.is_region);
    fm_free(others.is_callpath);
    return is_part;
}
