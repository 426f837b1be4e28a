/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Sentences about a problem of idle threads (FM_CAUSE_IDLE with a call path).
 */
#ifndef FERMATA_DIAGNOSIS_PROBLEMS_IDLE_IDLE_TEXT_H
#define FERMATA_DIAGNOSIS_PROBLEMS_IDLE_IDLE_TEXT_H

#include "diagnosis/problems/answer.h"

/** What the master does while threads are idle. */
enum fm_idle_reason {
    FM_IDLE_SERIAL,   /**< it executes a serial part of the program */
    FM_IDLE_LIMITED,  /**< it is in a parallel region with fewer threads than its process */
    FM_IDLE_IN_A_CALL /**< it is in a call of a library, and does not wait in it */
};

/** @return what the master does in the problem's call path. */
enum fm_idle_reason fm_idle_reason(const struct fm_cube *cube, const struct fm_cube_problem *cause);

/** Appends the headline: "3 of 4 threads of each rank are idle while `physics` runs serially: 5.1
 * s, 44% of all time." */
void fm_idle_headline_add(const struct fm_diagnosis *diagnosis, struct fm_cause_text *problem);

/** Appends the sentence "Where" if the call path spends much of the time in several functions that
 * it calls: "2.9 s of it in `set_up` (a.c:3), 1.9 s in `between` (a.c:9)". */
void fm_idle_where_add(const struct fm_diagnosis *diagnosis, struct fm_cause_text *problem);

/** Appends the sentence "How": how long the masters are in the call path. */
void fm_idle_how_add(const struct fm_diagnosis *diagnosis, struct fm_cause_text *problem);

/** Appends the bounds of the gain, if they are known. */
void fm_idle_bounds_add(const struct fm_diagnosis *diagnosis, struct fm_cause_text *problem);

/** Appends the advice. */
void fm_idle_advice_add(const struct fm_diagnosis *diagnosis, const struct fm_cube_problem *cause,
                        struct fm_sentences *lines);

#endif
