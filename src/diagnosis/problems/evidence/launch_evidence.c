/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/problems/evidence/launch_evidence.h"

#include "diagnosis/place.h"
#include "functions/function_kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_FUNCTIONS 3

static const struct fm_cube_region *region_of(const struct fm_cube *cube, uint32_t callpath)
{
    return &cube->regions[cube->callpaths[callpath].region];
}

static bool is_of_accelerators(const struct fm_cube_region *region)
{
    return fm_paradigm_is_of_accelerators(fm_paradigm_named(region->paradigm));
}

/** @return whether a region is a call of the host that gives streams work */
static bool launches(const struct fm_cube_region *region)
{
    return fm_function_launches(fm_paradigm_named(region->paradigm), region->name);
}

/** @return the work of a stream that a call path is or is part of; NULL: none whose line is known
 */
static const struct fm_cube_region *work_of(const struct fm_cube *cube, uint32_t callpath)
{
    while (cube->callpaths[callpath].parent != FM_CUBE_NONE) {
        callpath = cube->callpaths[callpath].parent;
    }
    const struct fm_cube_region *root = region_of(cube, callpath);
    const bool is_work = is_of_accelerators(root) && !launches(root);
    return is_work && root->file != NULL && root->line != 0 ? root : NULL;
}

void fm_evidence_of_launch(const struct fm_diagnosis *diagnosis,
                           const struct fm_cube_problem *cause, struct fm_sentences *lines)
{
    const struct fm_cube *cube = diagnosis->cube;
    const struct fm_cube_region *work = work_of(cube, cause->callpath);
    char *functions[SHOWN_FUNCTIONS] = {NULL};
    uint32_t count = 0;
    bool has_more = false;
    for (uint32_t c = 0; work != NULL && c < cube->callpath_count; c++) {
        const struct fm_cube_region *region = region_of(cube, c);
        const uint32_t caller = cube->callpaths[c].parent;
        if (caller == FM_CUBE_NONE || region->line != work->line || region->file == NULL ||
            strcmp(region->file, work->file) != 0 || !launches(region)) {
            continue;
        }
        char *name = fm_place_function(diagnosis, caller);
        bool is_new = true;
        for (uint32_t i = 0; i < count; i++) {
            is_new = is_new && strcmp(functions[i], name) != 0;
        }
        if (is_new && count < SHOWN_FUNCTIONS) {
            functions[count++] = name;
            continue;
        }
        has_more = has_more || is_new;
        free(name);
    }
    if (count > 0) {
        fm_sentences_add(lines, "Launch", "in %s%s%s%s%s%s", functions[0], count > 1 ? ", " : "",
                         count > 1 ? functions[1] : "", count > 2 ? ", " : "",
                         count > 2 ? functions[2] : "", has_more ? ", others" : "");
    }
    for (uint32_t i = 0; i < count; i++) {
        free(functions[i]);
    }
}
