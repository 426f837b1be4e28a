/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The call stack of a path (path.h) as the functions that it stands for. Private to path.c and
 * path_stack.c.
 */
#ifndef FERMATA_RECORD_CONVERSION_PATHS_PATH_STACK_H
#define FERMATA_RECORD_CONVERSION_PATHS_PATH_STACK_H

#include "record/conversion/paths/path.h"

/** A function of the path and the line that calls it. */
struct fm_path_level {
    uint32_t region, line;
};

/** @return the line at which the innermost of the outer `count` functions makes its call, or
 * FM_DEFINE_NONE. */
uint32_t fm_path_line_of(const struct fm_path *path, const struct fm_callsites *sites,
                         size_t count);

/** Finds the functions of number `function` of the stack: one that made a tail call, the function
 * itself, and those inlined into it. A tail call is also possible after the last number.
 * @return their number */
uint32_t fm_path_levels(const struct fm_path *path, const struct fm_callsites *sites,
                        uint32_t function, struct fm_path_level levels[FM_PATH_LEVELS]);

#endif
