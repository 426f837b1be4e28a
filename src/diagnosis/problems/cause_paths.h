/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Which call paths a problem's times are of.
 */
#ifndef FERMATA_DIAGNOSIS_PROBLEMS_CAUSE_PATHS_H
#define FERMATA_DIAGNOSIS_PROBLEMS_CAUSE_PATHS_H

#include "cube/model/cube.h"

/** @return [call path]: whether its own time is part of a cause: that of the cause itself, with
 * functions of libraries that it calls (fm_cube_function_of), and, if the cause stands for what it
 * calls, the functions of the program below it that are no problems of the same locations. To be
 * freed with fm_free(). */
bool *fm_cause_paths(const struct fm_cube *cube, const struct fm_cube_problem *cause);

#endif
