/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/problems/cause_paths.h"

#include "base/memory.h"

#include <string.h>

/* @return whether two problems have a location in common */
static bool have_common_location(const struct fm_cube_problem *one,
                                 const struct fm_cube_problem *other)
{
    for (uint32_t a = 0, b = 0; a < one->location_count && b < other->location_count;) {
        if (one->locations[a] == other->locations[b]) {
            return true;
        }
        if (one->locations[a] < other->locations[b]) {
            a++;
        } else {
            b++;
        }
    }
    return false;
}

/* Marks the call paths of other problems of the same locations. */
static void mark_others(const struct fm_cube *cube, const struct fm_cube_problem *cause,
                        bool *is_other)
{
    for (uint32_t i = 0; i < cube->problem_count; i++) {
        const struct fm_cube_problem *other = &cube->problems[i];
        if (other->kind != cause->kind || !have_common_location(cause, other) ||
            fm_cube_problem_is_at(cube, cause, other->callpath)) {
            continue;
        }
        for (uint32_t c = 0; c < cube->callpath_count; c++) {
            is_other[c] = is_other[c] || fm_cube_problem_is_at(cube, other, c);
        }
    }
}

bool *fm_cause_paths(const struct fm_cube *cube, const struct fm_cube_problem *cause)
{
    bool *is_part = fm_allocate(cube->callpath_count, sizeof *is_part);
    bool *is_other = fm_allocate(cube->callpath_count, sizeof *is_other);
    if (cause->is_function) {
        mark_others(cube, cause, is_other);
    }
    for (uint32_t c = 0; c < cube->callpath_count; c++) { /* callers come first */
        const uint32_t function = fm_cube_function_of(cube, c);
        const uint32_t parent = cube->callpaths[function].parent;
        const char *paradigm = cube->regions[cube->callpaths[function].region].paradigm;
        is_part[c] = fm_cube_problem_is_at(cube, cause, function) ||
                     (cause->is_function && parent != FM_CUBE_NONE && is_part[parent] &&
                      !is_other[function] && strcmp(paradigm, "user") == 0);
    }
    fm_free(is_other);
    return is_part;
}
