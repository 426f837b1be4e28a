/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The waiting that problems explain: the wait states that stem from them, directly or passed on.
 */
#ifndef FERMATA_ANALYSIS_PROBLEMS_SYMPTOMS_H
#define FERMATA_ANALYSIS_PROBLEMS_SYMPTOMS_H

#include "analysis/problems/shown.h"

/** Compares two struct fm_cube_symptom for fm_sort(): the largest cost first; equal ones by metric
 * and call path. */
int fm_compare_symptoms(const void *left, const void *right);

/** Finds the symptoms of problems. Runs message-driven stages; collective.
 * @param blamed    by location; NULL: no wait state is charged by blame
 * @param problems  of process 0: [shown.count]; out: with symptoms */
void fm_symptoms_find(const struct fm_formation *formation, const struct fm_shown_problems *shown,
                      const struct fm_blamed_waits *blamed, struct fm_cube_problem *problems);

#endif
