/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Which functions of libraries have the excess of a cause.
 */
#ifndef FERMATA_DIAGNOSIS_PROBLEMS_LIBRARY_SHARE_H
#define FERMATA_DIAGNOSIS_PROBLEMS_LIBRARY_SHARE_H

#include "diagnosis/diagnosis.h"

/** @return the one or two functions of libraries that the cause's function calls and that have most
 * of what it takes longer on the cause's locations than on the others (if it does not in the mean:
 * of its time), each at least a tenth: " (72 % in `sin`, 11 % in `cos`)";
 * functions without names are told by their library, "libm.so.6"; "" if there are none. To be freed
 * with free(). */
char *fm_library_share(const struct fm_diagnosis *diagnosis, const struct fm_cube_problem *cause);

#endif
