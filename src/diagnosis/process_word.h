/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What the processes of a program are called in its programming model, and their numbers there.
 */
#ifndef FERMATA_DIAGNOSIS_PROCESS_WORD_H
#define FERMATA_DIAGNOSIS_PROCESS_WORD_H

#include "cube/model/cube.h"

#include <stdbool.h>
#include <stdint.h>

struct fm_process_word {
    const char *one;       /**< "rank"; "PE" of OpenSHMEM; "image" of coarrays */
    const char *many;      /**< "ranks", ... */
    const char *title;     /**< "Rank": at the begin of a name or sentence */
    const char *titles;    /**< "Ranks", ... */
    uint32_t first;        /**< number of the first process: images begin with 1 */
    const char *library;   /**< whose calls are recorded: "MPI", "SHMEM", "ARMCI", "coarray",
                              "synchronization" in a process that has only threads, or
                              "library" if there are calls of several or none */
    bool has_only_threads; /**< one process without calls of these libraries */
};

/** @return the words for a program that calls one of these libraries only; "rank" if it calls MPI,
 * several libraries or none. O(call paths) */
struct fm_process_word fm_process_word(const struct fm_cube *cube);

/** @return the name of the process of a location: "rank 3", in a world that others have spawned
 * "rank 3 (world 1, rank 0)"; to be freed. */
char *fm_process_name(struct fm_process_word word, const struct fm_cube_location *location);

/** @return whether there are calls of these libraries other than those that start them up or shut
 * them down, which are recorded in any case, or constructs or calls of threads. */
bool fm_library_is_used(const struct fm_cube *cube);

/** @return the library in whose calls others wait for a cause: "MPI", "SHMEM", "ARMCI" or
 * "coarray". */
const char *fm_cause_library(const struct fm_cube *cube, const struct fm_cube_problem *cause);

#endif
