/** @file
 * Call paths in few words: "app/.../solve/MPI_Recv", where "..." stands for any number of levels.
 */
#ifndef FERMATA_CUBE_MODEL_CALLPATH_PATTERN_H
#define FERMATA_CUBE_MODEL_CALLPATH_PATTERN_H

#include "cube/model/cube.h"

#include <stdbool.h>

/** @return the text of `callpath` (fm_cube_callpath_text() with "/") if it has at most `bytes`,
 * else its root, "...", and its last levels: as many as fit, and always so many that no other call
 * path ends in the same. To be freed by the caller; NULL without memory. */
char *fm_cube_callpath_short(const struct fm_cube *cube, uint32_t callpath, size_t bytes);

/** Finds the call paths that fit a pattern: the text of a call path from its root on (one '/'
 * before it is allowed), in which "..." stands for any number of levels, also for none; it cannot
 * be the last one.
 * @param first  out: the first call path that fits, FM_CUBE_NONE if none does
 * @return how many fit */
uint32_t fm_cube_match_callpaths(const struct fm_cube *cube, const char *pattern, uint32_t *first);

#endif
