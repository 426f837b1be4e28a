/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Call paths as text.
 */
#ifndef FERMATA_CUBE_MODEL_CALLPATH_TEXT_H
#define FERMATA_CUBE_MODEL_CALLPATH_TEXT_H

#include "cube/model/cube.h"

/** The source position of a call, such as `@solver.c:42`, which distinguishes call paths of one
 * name with one parent; "" for user functions unless call paths are told apart by it, if the
 * position is unknown, or if no other call path of the parent has this name. @return `place` */
enum { FM_CUBE_PLACE_SIZE = 300 };
const char *fm_cube_callpath_place(const struct fm_cube *cube, uint32_t callpath,
                                   char place[FM_CUBE_PLACE_SIZE]);

/** @return the region names from the root to `callpath`, with their source positions, and
 * `separator` between them (with "/" as fm_cube_find_callpath() expects it); to be freed by the
 * caller; NULL if memory is exhausted. */
char *fm_cube_callpath_text(const struct fm_cube *cube, uint32_t callpath, const char *separator);

/** @return the name of the call path's region. It belongs to the cube. */
const char *fm_cube_callpath_region(const struct fm_cube *cube, uint32_t callpath);

#endif
