/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Analyses a scenario with the patterns of the test, which defines fm_patterns.
 */
#ifndef FERMATA_TESTS_PATTERNS_ANALYSE_H
#define FERMATA_TESTS_PATTERNS_ANALYSE_H

#include "cube/model/cube.h"

/** Ends the program if this is not possible. @return to be freed with fm_cube_free() */
struct fm_cube *analyse(const char *scenario);

#endif
