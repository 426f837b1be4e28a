/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Communication of accelerators that is not overlapped with computation.
 */
#ifndef FERMATA_DIAGNOSIS_EFFICIENCY_EXPOSED_COMMUNICATION_H
#define FERMATA_DIAGNOSIS_EFFICIENCY_EXPOSED_COMMUNICATION_H

#include "diagnosis/diagnosis.h"
#include "diagnosis/sentences.h"

/** Adds a sentence about it, if streams communicate: how much it is, and on which process most. */
void fm_exposed_communication_find(const struct fm_diagnosis *diagnosis,
                                   struct fm_sentences *lines);

#endif
