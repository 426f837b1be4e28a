/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Patterns of the user: scripts in Lua and shared objects (docs/own-patterns.md), here all called
 * scripts. They declare a metric, subscribe to the activities of each location and to instances of
 * other patterns, and report severities, which become cells of the report.
 *
 * A script is executed once for each location, with memory of its own, and receives the
 * activities of this location in the order of their time. Locations are distributed among threads;
 * since scripts share no state between locations, the result does not depend on their number.
 */
#ifndef FERMATA_PATTERNS_PATTERNS_H
#define FERMATA_PATTERNS_PATTERNS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct fm_cube;
struct fm_pattern_selection;
struct fm_detail;
struct fm_user_patterns;

/** Reads scripts, checks what they declare, and declares the metrics of those that are selected
 * (fm_metric_declare()).
 * @param files     each FILE[:NAME=VALUE,...], or a directory: all files in it that end in .lua or
 *                  .so, in the order of their names
 * @param selection which patterns are wanted; NULL: all
 * @param off       [FM_METRIC_USER], out: built-in wait states that are not
 * @param patterns  out: to be freed with fm_user_patterns_free(); set only on success
 * @return FM_ERR_SYSTEM: a file cannot be read; FM_ERR_USAGE: a parameter or a selected
 * pattern does not exist, or this
 * program was built without Lua; FM_ERR_DATA: a script is wrong, with file and line */
fm_status_t fm_user_patterns_load(const char *const *files, size_t count,
                                  struct fm_pattern_selection *selection, bool *off,
                                  struct fm_user_patterns **patterns, struct fm_error *error);

/** @return the number of scripts that are executed. */
size_t fm_user_patterns_count(const struct fm_user_patterns *patterns);

/** Frees the patterns. NULL is allowed. */
void fm_user_patterns_free(struct fm_user_patterns *patterns);

/** Executes the scripts over the events of a run and adds what they report to its report. Values of
 * a metric with a parent are taken out of the parent's exclusive values.
 *
 * The metric of a script that fails or exceeds a limit, or whose values do not fit into those of
 * its parent, is left out, and the report has a warning that states the reason with file and line.
 * @param workers  threads; 0: one for each processor
 * @param check    such a failure is FM_ERR_FAILED; the scripts are also executed by a single thread
 *                 in reverse order of the locations, and another result is FM_ERR_FAILED
 * @param cube     sealed; sealed again afterwards */
fm_status_t fm_user_patterns_run(const struct fm_user_patterns *patterns,
                                 const struct fm_detail *detail, unsigned workers, bool check,
                                 struct fm_cube *cube, struct fm_error *error);

#endif
