/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Sets of locations as text: "rank 3", "ranks 0-3 and 8", "all 16 ranks", "all other ranks".
 */
#ifndef FERMATA_DIAGNOSIS_LOCATION_SET_H
#define FERMATA_DIAGNOSIS_LOCATION_SET_H

#include "diagnosis/diagnosis.h"

/** A set of locations; the array belongs to others. */
struct fm_location_set {
    const uint32_t *items; /**< ascending, no duplicates */
    uint32_t count;
};

/** @return whether a run has several locations, all of them threads of one process. */
bool fm_location_set_is_one_process(const struct fm_cube *cube);

/** @return whether some location is a stream of an accelerator. O(locations) */
bool fm_location_set_has_streams(const struct fm_cube *cube);

/** @return whether each process has one location. */
bool fm_location_set_has_single_threads(const struct fm_cube *cube);

/** Describes a set of locations. Whole processes are named by their ranks, others also by threads.
 * @param subject  locations that were named before: a set of all locations but these becomes "all
 *                 other ranks"; NULL: none
 * @return the text; never NULL, to be freed with free() */
char *fm_location_set_text(const struct fm_diagnosis *diagnosis, struct fm_location_set set,
                           const struct fm_location_set *subject);

/** @return what the locations of a set are called where fm_location_set_text names it: "ranks",
 * "PEs", "images", or "threads". */
const char *fm_location_set_many(const struct fm_diagnosis *diagnosis, struct fm_location_set set);

/** @return what the locations of this run are called: "ranks", "PEs", "images", or "threads" if a
 * process has several. */
const char *fm_location_set_all(const struct fm_diagnosis *diagnosis);

/** @return the singular of fm_location_set_all(). */
const char *fm_location_set_one(const struct fm_diagnosis *diagnosis);

/** @return what `count` other locations of this run are called: "other rank", "other ranks", "other
 * thread", "other threads". */
const char *fm_location_set_others(const struct fm_diagnosis *diagnosis, uint32_t count);

#endif
