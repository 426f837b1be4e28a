/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Whether a cause takes longer because it is called more often.
 */
#ifndef FERMATA_DIAGNOSIS_PROBLEMS_CALL_COUNTS_H
#define FERMATA_DIAGNOSIS_PROBLEMS_CALL_COUNTS_H

#include "cube/model/cube.h"

/** How often the function of a cause is called, in the mean of locations. */
struct fm_call_counts {
    int64_t there;
    int64_t elsewhere; /**< of the other locations that call it; 0: none does, or it is unknown */
    bool explains_the_time; /**< at least four fifths of what it takes longer there, at the time
                               that a call takes elsewhere */
};

/** Counts the calls of a cause whose visits are recorded. O(cells) */
struct fm_call_counts fm_call_counts_of(const struct fm_cube *cube,
                                        const struct fm_cube_problem *cause);

#endif
