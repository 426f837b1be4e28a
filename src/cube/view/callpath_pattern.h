/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Shortened call paths: "app/.../solve/MPI_Recv", where "..." stands for any number of levels.
 */
#ifndef FERMATA_CUBE_VIEW_CALLPATH_PATTERN_H
#define FERMATA_CUBE_VIEW_CALLPATH_PATTERN_H

#include "cube/model/cube.h"

#include <stdbool.h>

/** @return the text of `callpath` (fm_cube_callpath_text() with "/") if it has at most `bytes`
 * bytes, else its root, "...", and its last levels: as many as fit, but at least as many as
 * distinguish it from all other call paths. To be freed by the caller; NULL if memory is exhausted.
 */
char *fm_cube_callpath_short(const struct fm_cube *cube, uint32_t callpath, size_t bytes);

/** Finds the call paths that match a pattern: the text of a call path from its root (one '/' before
 * it is allowed), in which the level "..." stands for any number of levels, including none. "..."
 * cannot be the last level.
 * @param first  out: the first call path that matches; FM_CUBE_NONE: none
 * @return the number of matches */
uint32_t fm_cube_match_callpaths(const struct fm_cube *cube, const char *pattern, uint32_t *first);

/** @return whether the text of a call path, or of its last levels, matches a pattern, which has no
 * '/' before it. */
bool fm_callpath_fits(const char *text, const char *pattern);

#endif
