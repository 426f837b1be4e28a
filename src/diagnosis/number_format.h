/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Numbers in sentences and tables: durations, counts, bytes, percentages, lists of ranks.
 */
#ifndef FERMATA_DIAGNOSIS_NUMBER_FORMAT_H
#define FERMATA_DIAGNOSIS_NUMBER_FORMAT_H

#include "base/text.h"
#include "cube/model/cube.h"

#include <stdbool.h>

#define FM_FORMAT_SIZE  FM_TEXT_NUMBER
#define FM_LONGEST_SIZE 48 /**< size of the buffer of fm_format_longest() */

/** Writes a duration with 4 significant digits: "12.35 s", "523.1 ms", "7.000 us". */
char *fm_format_ticks(char buffer[FM_FORMAT_SIZE], const struct fm_cube *cube, int64_t ticks);

/** As fm_format_ticks() for a clock. */
char *fm_format_duration(char buffer[FM_FORMAT_SIZE], int64_t ticks, uint64_t ticks_per_second);

/** As fm_text_count(). */
char *fm_format_count(char buffer[FM_FORMAT_SIZE], int64_t value);

/** Writes a value according to its unit: duration, count, or bytes ("1.500 MiB"). */
char *fm_format_value(char buffer[FM_FORMAT_SIZE], const struct fm_cube *cube, fm_unit_t unit,
                      int64_t value);

/** As fm_text_percent(). */
char *fm_format_percent(char buffer[FM_FORMAT_SIZE], int64_t part, int64_t whole);

/** @return part / whole, 0 if `whole` is 0. */
double fm_fraction(int64_t part, int64_t whole);

/** Writes "both longest waits", "all of the 5 longest waits", "2 of the 5 longest waits".
 * @param same   number of waits with the property
 * @param count  number of all longest waits */
char *fm_format_longest(char buffer[FM_LONGEST_SIZE], uint32_t same, uint32_t count);

/** Writes numbers as ranges: "0-3, 5 and 8".
 * @param member  [number below `count`]: whether it is in the list
 * @param limit   maximum number of ranges; "..." replaces the rest
 * @return the text, to be freed with free(); never NULL */
char *fm_format_ranges(const bool *member, uint32_t count, unsigned limit);

#endif
