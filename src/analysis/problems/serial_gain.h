/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What belongs to problems of the kind FM_CAUSE_SERIALIZATION: the lock, and what can be gained.
 */
#ifndef FERMATA_ANALYSIS_PROBLEMS_SERIAL_GAIN_H
#define FERMATA_ANALYSIS_PROBLEMS_SERIAL_GAIN_H

#include "analysis/problems/shown.h"

/** Finds what can be gained if the processes need not execute the call path one after the other:
 * the serialization of the call path on the critical path, but at most the cost. To be called after
 * the critical path was booked. Collective.
 * @param problems  of process 0: [shown.count] */
void fm_serialization_gain(const struct fm_formation *formation,
                           const struct fm_shown_problems *shown, struct fm_cube_problem *problems);

/** @return the lock of the cube for which others waited because of a problem: the only one that was
 * waited for, or the one by which the processes of the problem caused more than half of the waiting
 * that they caused by locks; FM_CUBE_NONE: there is none */
uint32_t fm_serialization_lock(const struct fm_cube *cube, const struct fm_cube_problem *problem);

#endif
