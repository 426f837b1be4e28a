/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What to do about a problem: advice that fits the kind of cause and its largest symptom.
 */
#ifndef FERMATA_DIAGNOSIS_PROBLEMS_ADVICE_H
#define FERMATA_DIAGNOSIS_PROBLEMS_ADVICE_H

#include "diagnosis/diagnosis.h"
#include "diagnosis/sentences.h"

/** Appends the advice ("Try"), if any. Changes whose replay gains less than FM_SMALLEST_ADVISED of
 * the run time are not advised; without a gain in any replay nothing is. Where less work on the
 * cause's locations gains little, the advice is what the waiting side can do. */
void fm_advice_add(const struct fm_diagnosis *diagnosis, const struct fm_cube_problem *cause,
                   struct fm_sentences *lines);

#endif
