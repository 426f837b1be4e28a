/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Numbers of a comparison in readable form.
 */
#ifndef FERMATA_REPORT_COMPARISON_CHANGE_FORMAT_H
#define FERMATA_REPORT_COMPARISON_CHANGE_FORMAT_H

#include "diagnosis/number_format.h"
#include "report/comparison/comparison.h"

/** Writes the change from `base` to `value`: "+12.3%", "=", "new", "gone". */
char *fm_format_change(char buffer[FM_FORMAT_SIZE], int64_t base, int64_t value);

/** Writes the change from the base to a variant; "-": they are not compared. */
char *fm_diff_format_change(char buffer[FM_FORMAT_SIZE], const struct fm_comparison *comparison,
                            size_t variant, int64_t base, int64_t value);

/** Writes the run time of a variant; "-": it ended inside of calls. */
char *fm_diff_format_length(char buffer[FM_FORMAT_SIZE], const struct fm_comparison *comparison,
                            size_t variant);

/** Writes a value of the common scale according to the unit of its metric. */
char *fm_diff_format(char buffer[FM_FORMAT_SIZE], const struct fm_comparison *comparison,
                     fm_metric_t metric, int64_t value);

/** Writes a difference with its sign, otherwise like fm_diff_format(). */
char *fm_diff_format_signed(char buffer[FM_FORMAT_SIZE], const struct fm_comparison *comparison,
                            fm_metric_t metric, int64_t difference);

/** Writes an efficiency: "63.1%"; "-" of NAN. */
char *fm_diff_format_ratio(char buffer[FM_FORMAT_SIZE], double ratio);

/** Writes the change of an efficiency in percentage points: "+1.2"; "" if one of them is NAN. */
char *fm_diff_format_points(char buffer[FM_FORMAT_SIZE], double base, double ratio);

/** @return the depth of a metric in its tree; 0: a root. */
unsigned fm_metric_depth(fm_metric_t metric);

#endif
