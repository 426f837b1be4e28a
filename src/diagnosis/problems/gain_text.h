/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Sentences about what can be gained: predictions if the report has them, else bounds.
 */
#ifndef FERMATA_DIAGNOSIS_PROBLEMS_GAIN_TEXT_H
#define FERMATA_DIAGNOSIS_PROBLEMS_GAIN_TEXT_H

#include "diagnosis/problems/answer.h"

/** Gains below this share of the run time are called small. */
#define FM_SMALLEST_GAIN 0.005

/** Changes whose replay gains less than this share of the run time are not advised. */
#define FM_SMALLEST_ADVISED 0.02

/** Appends the sentences "Gain", if anything is known. Lack of processors contributes to the
 * measured times, and so to predictions: a problem with such a share has bounds. */
void fm_gain_add(const struct fm_diagnosis *diagnosis, struct fm_cause_text *problem);

/** @return whether little or nothing is gained by less work on a problem's locations, or without
 * its lock. */
bool fm_gain_is_small(const struct fm_cube *cube, const struct fm_cube_problem *cause);

/** @return what a prediction of a problem changes, and where waiting goes if much of what is freed
 * does: "if its work were spread evenly: no more, because then ..."; to be freed with free() */
char *fm_gain_change_text(const struct fm_diagnosis *diagnosis, const struct fm_cube_problem *cause,
                          const struct fm_cube_prediction *prediction);

#endif
