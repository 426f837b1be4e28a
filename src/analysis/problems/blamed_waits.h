/** @file
 * Which problems are blamed for single wait states, those that are charged by blame.
 */
#ifndef FERMATA_ANALYSIS_PROBLEMS_BLAMED_WAITS_H
#define FERMATA_ANALYSIS_PROBLEMS_BLAMED_WAITS_H

#include "analysis/problems/shown.h"

/** A part of the waiting part of a wait state that stems from a problem. */
struct fm_blamed_part {
    uint64_t from, to;
    uint32_t number;  /**< of the wait state in its location's list */
    uint32_t problem; /**< number of the shown problem */
};

/** Parts of one location's wait states, ascending by wait state and time. */
struct fm_blamed_parts {
    FM_VECTOR(struct fm_blamed_part) items;
};

/** Finds the problems that are blamed for wait states. Runs stages; collective.
 * @return [location]: of its own wait states, if it is owned here; to be freed with
 *         fm_blamed_waits_free() */
struct fm_blamed_parts *fm_blamed_waits_find(const struct fm_formation *formation,
                                             const struct fm_shown_problems *shown);

/** NULL is allowed. */
void fm_blamed_waits_free(struct fm_blamed_parts *blamed, uint32_t location_count);

/** @return the parts of a wait state: *count elements. */
const struct fm_blamed_part *fm_blamed_wait_parts(const struct fm_blamed_parts *parts,
                                                  uint32_t number, size_t *count);

#endif
