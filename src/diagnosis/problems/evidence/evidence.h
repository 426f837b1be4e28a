/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * How far the recording supports the description of a problem: time without a processor, which is
 * not the program's, and the number of samples.
 */
#ifndef FERMATA_DIAGNOSIS_PROBLEMS_EVIDENCE_EVIDENCE_H
#define FERMATA_DIAGNOSIS_PROBLEMS_EVIDENCE_EVIDENCE_H

#include "diagnosis/diagnosis.h"
#include "diagnosis/sentences.h"

/** Appends the share of the cause's time in which its locations had no processor ("Load"), if it is
 * notable.
 * @param share  of the cost that is not counted because of it: fm_load_share() */
void fm_evidence_of_load(const struct fm_diagnosis *diagnosis, const struct fm_cube_problem *cause,
                         double share, struct fm_sentences *lines);

/** Appends which functions inside the cause the recording cannot show ("Samples"): with few samples
 * or none, the time of a function that makes no recorded calls belongs to its caller. */
void fm_evidence_of_samples(const struct fm_diagnosis *diagnosis,
                            const struct fm_cube_problem *cause, struct fm_sentences *lines);

/** Appends how to find the name of a cause's function that has none ("Name"): a program without
 * symbols shows its begin only, "pw.x+0x2b1880". */
void fm_evidence_of_name(const struct fm_diagnosis *diagnosis, const struct fm_cube_problem *cause,
                         struct fm_sentences *lines);

#endif
