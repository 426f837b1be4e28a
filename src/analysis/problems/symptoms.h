/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The waiting that problems explain: the wait states that stem from them, directly or passed on.
 */
#ifndef FERMATA_ANALYSIS_PROBLEMS_SYMPTOMS_H
#define FERMATA_ANALYSIS_PROBLEMS_SYMPTOMS_H

#include "analysis/problems/shown.h"

/** Finds the symptoms of problems. Runs message-driven stages; collective.
 * @param blamed    by location; NULL: no wait state is charged by blame
 * @param problems  of process 0: [shown.count]; out: with symptoms */
void fm_symptoms_find(const struct fm_formation *formation, const struct fm_shown_problems *shown,
                      const struct fm_blamed_waits *blamed, struct fm_cube_problem *problems);

#endif
