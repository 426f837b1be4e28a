/** @file
 * Call paths as text.
 */
#ifndef FERMATA_CUBE_MODEL_CALLPATH_TEXT_H
#define FERMATA_CUBE_MODEL_CALLPATH_TEXT_H

#include "cube/model/cube.h"

/** Where a call of communication is made, as `@solver.c:42`; "" if that is not known, or if it is
 * the only one of its name below its parent. */
enum { FM_CUBE_PLACE_SIZE = 300 };
const char *fm_cube_callpath_place(const struct fm_cube *cube, uint32_t callpath,
                                   char place[FM_CUBE_PLACE_SIZE]);

/** @return the region names from the root to `callpath`, with their places, and `separator` between
 * them (with "/" it is what fm_cube_find_callpath() takes); to be freed by the caller; NULL without
 * memory. */
char *fm_cube_callpath_text(const struct fm_cube *cube, uint32_t callpath, const char *separator);

/** @return the name of the call path's region. It belongs to the cube. */
const char *fm_cube_callpath_region(const struct fm_cube *cube, uint32_t callpath);

#endif
