/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Where the kernels of a problem are launched. */
#ifndef FERMATA_DIAGNOSIS_PROBLEMS_EVIDENCE_LAUNCH_EVIDENCE_H
#define FERMATA_DIAGNOSIS_PROBLEMS_EVIDENCE_LAUNCH_EVIDENCE_H

#include "diagnosis/diagnosis.h"
#include "diagnosis/sentences.h"

/** Appends the functions that launch the kernel or copy of a cause ("Launch"): those whose calls of
 * accelerators stand in its line of the program. Nothing if the cause is none, or no such call is
 * known. */
void fm_evidence_of_launch(const struct fm_diagnosis *diagnosis,
                           const struct fm_cube_problem *cause, struct fm_sentences *lines);

#endif
