/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * How much data reads and writes of files by MPI move, and how fast.
 */
#ifndef FERMATA_DIAGNOSIS_FILE_ACCESS_H
#define FERMATA_DIAGNOSIS_FILE_ACCESS_H

#include "diagnosis/diagnosis.h"
#include "diagnosis/sentences.h"

/** States the bytes and the rate of the call paths with the most time in accesses, if that is a
 * notable part of all time. The rate is that of one process: bytes by time in the calls, waiting
 * included. Only of blocking calls, whose time is that of their data. */
void fm_file_accesses_find(const struct fm_diagnosis *diagnosis, struct fm_sentences *lines);

/** States the same of a problem of the kind FM_CAUSE_IO, as how it makes others wait. */
void fm_file_access_of_cause(const struct fm_diagnosis *diagnosis,
                             const struct fm_cube_problem *cause, struct fm_sentences *lines);

#endif
