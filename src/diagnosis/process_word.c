#include "diagnosis/process_word.h"

#include <stdbool.h>
#include <string.h>

struct fm_process_word fm_process_word(const struct fm_cube *cube)
{
    static const struct fm_process_word rank = {"rank", "ranks", 0, "MPI"};
    bool shmem = false, coarrays = false;
    for (uint32_t i = 0; i < cube->callpath_count; i++) {
        const char *paradigm = cube->regions[cube->callpaths[i].region].paradigm;
        if (strcmp(paradigm, "mpi") == 0 || strcmp(paradigm, "armci") == 0) {
            return rank;
        }
        shmem |= strcmp(paradigm, "shmem") == 0;
        coarrays |= strcmp(paradigm, "caf") == 0;
    }
    if (shmem == coarrays) {
        return rank;
    }
    return shmem ? (struct fm_process_word){"PE", "PEs", 0, "SHMEM"}
                 : (struct fm_process_word){"image", "images", 1, "coarray"};
}

const char *fm_cause_library(const struct fm_cube *cube, const struct fm_cube_problem *cause)
{
    static const char *const libraries[][2] = {
        {"shmem", "SHMEM"}, {"armci", "ARMCI"}, {"caf", "coarray"}};
    for (size_t i = 0; cause->symptom_count > 0 && i < sizeof libraries / sizeof libraries[0];
         i++) {
        const struct fm_cube_callpath *waiting = &cube->callpaths[cause->symptoms[0].callpath];
        if (strcmp(cube->regions[waiting->region].paradigm, libraries[i][0]) == 0) {
            return libraries[i][1];
        }
    }
    return "MPI";
}
