/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Sentences about one problem.
 */
#ifndef FERMATA_DIAGNOSIS_PROBLEMS_CAUSE_TEXT_H
#define FERMATA_DIAGNOSIS_PROBLEMS_CAUSE_TEXT_H

#include "diagnosis/problems/answer.h"

/** Sets headline and lines of a problem whose other fields are set. */
void fm_cause_text_write(const struct fm_diagnosis *diagnosis, struct fm_cause_text *problem);

#endif
