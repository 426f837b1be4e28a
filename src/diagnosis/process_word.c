#include "diagnosis/process_word.h"

#include <stdbool.h>
#include <string.h>

/* The libraries whose processes communicate. */
enum { MPI, SHMEM, ARMCI, COARRAYS, LIBRARIES };
static const struct {
    const char *paradigm, *name;
} libraries[LIBRARIES] = {[MPI] = {"mpi", "MPI"},
                          [SHMEM] = {"shmem", "SHMEM"},
                          [ARMCI] = {"armci", "ARMCI"},
                          [COARRAYS] = {"caf", "coarray"}};

struct fm_process_word fm_process_word(const struct fm_cube *cube)
{
    static const struct fm_process_word words[] = {
        {"rank", "ranks", "Rank", "Ranks", 0, NULL},
        {"PE", "PEs", "PE", "PEs", 0, NULL},
        {"image", "images", "Image", "Images", 1, NULL},
    };
    bool called[LIBRARIES] = {false};
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        const char *paradigm = cube->regions[cube->callpaths[i].region].paradigm;
        for (size_t k = 0; k < LIBRARIES; k++) {
            called[k] |= strcmp(paradigm, libraries[k].paradigm) == 0;
        }
    }
    bool ranks = called[MPI] || called[ARMCI] || called[SHMEM] == called[COARRAYS];
    struct fm_process_word word = words[ranks ? 0 : called[SHMEM] ? 1 : 2];
    for (size_t k = 0; k < LIBRARIES; k++) {
        if (called[k]) {
            word.library = word.library == NULL ? libraries[k].name : "library";
        }
    }
    word.library = word.library == NULL ? "library" : word.library;
    return word;
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
