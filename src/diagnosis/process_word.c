/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/process_word.h"

#include "base/process_noun.h"
#include "diagnosis/startup.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The libraries whose processes communicate. */
enum { MPI, SHMEM, ARMCI, COARRAYS, LIBRARIES };
static const struct {
    const char *paradigm, *name;
} libraries[LIBRARIES] = {[MPI] = {"mpi", "MPI"},
                          [SHMEM] = {"shmem", "SHMEM"},
                          [ARMCI] = {"armci", "ARMCI"},
                          [COARRAYS] = {"caf", "coarray"}};

/* @return whether the only process of a run calls a model of threads */
static bool is_process_with_threads(const struct fm_cube *cube)
{
    if (cube->location_count == 0 || cube->locations[cube->location_count - 1].rank != 0) {
        return false;
    }
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        const char *paradigm = cube->regions[cube->callpaths[i].region].paradigm;
        if (strcmp(paradigm, "openmp") == 0 || strcmp(paradigm, "pthread") == 0) {
            return true;
        }
    }
    return false;
}

struct fm_process_word fm_process_word(const struct fm_cube *cube)
{
    bool called[LIBRARIES] = {false}, any = false;
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        const char *paradigm = cube->regions[cube->callpaths[i].region].paradigm;
        for (size_t k = 0; k < LIBRARIES; k++) {
            called[k] |= strcmp(paradigm, libraries[k].paradigm) == 0;
            any |= called[k];
        }
    }
    const bool has_only_threads = !any && is_process_with_threads(cube);
    bool ranks = called[MPI] || called[ARMCI] || called[SHMEM] == called[COARRAYS];
    const struct fm_process_noun *noun = fm_process_noun(has_only_threads ? FM_NOUN_PROCESS
                                                         : ranks          ? FM_NOUN_RANK
                                                         : called[SHMEM]  ? FM_NOUN_PE
                                                                          : FM_NOUN_IMAGE);
    struct fm_process_word word = {.one = noun->one,
                                   .many = noun->many,
                                   .title = noun->title,
                                   .titles = noun->titles,
                                   .first = noun->first,
                                   .has_only_threads = has_only_threads};
    for (size_t k = 0; k < LIBRARIES; k++) {
        if (called[k]) {
            word.library = word.library == NULL ? libraries[k].name : "library";
        }
    }
    if (word.library == NULL) {
        word.library = has_only_threads ? "synchronization" : "library";
    }
    return word;
}

char *fm_process_name(struct fm_process_word word, const struct fm_cube_location *location)
{
    char *text = NULL;
    int length =
        location->world == 0
            ? asprintf(&text, "%s %u", word.one, location->rank + word.first)
            : asprintf(&text, "%s %u (world %u, %s %u)", word.one, location->rank + word.first,
                       location->world, word.one, location->world_rank + word.first);
    if (length < 0) {
        abort(); /* without memory for one line no error message can be printed either */
    }
    return text;
}

bool fm_library_is_used(const struct fm_cube *cube)
{
    for (uint32_t i = 0; i < cube->region_count; i++) {
        const char *paradigm = cube->regions[i].paradigm;
        if (strcmp(paradigm, "openmp") == 0 || strcmp(paradigm, "pthread") == 0) {
            return true;
        }
        for (size_t k = 0; k < LIBRARIES; k++) {
            if (strcmp(cube->regions[i].paradigm, libraries[k].paradigm) == 0 &&
                !fm_is_startup_region(&cube->regions[i])) {
                return true;
            }
        }
    }
    return false;
}

const char *fm_cause_library(const struct fm_cube *cube, const struct fm_cube_problem *cause)
{
    for (size_t i = SHMEM; cause->symptom_count > 0 && i < LIBRARIES; i++) {
        const struct fm_cube_callpath *waiting = &cube->callpaths[cause->symptoms[0].callpath];
        if (strcmp(cube->regions[waiting->region].paradigm, libraries[i].paradigm) == 0) {
            return libraries[i].name;
        }
    }
    return libraries[MPI].name;
}
