/** @file
 * Numbers in sentences and tables: durations, counts, bytes, percentages, lists of ranks.
 */
#ifndef FERMATA_DIAGNOSIS_NUMBER_FORMAT_H
#define FERMATA_DIAGNOSIS_NUMBER_FORMAT_H

#include "cube/model/cube.h"

#include <stdbool.h>

#define FM_FORMAT_SIZE  32
#define FM_LONGEST_SIZE 48 /**< of fm_format_longest() */

/** Writes a duration with 4 significant digits: "12.35 s", "523.1 ms", "7.000 us". */
char *fm_format_ticks(char buffer[FM_FORMAT_SIZE], const struct fm_cube *cube, int64_t ticks);

/** Writes an integer with its digits in groups: "12,345". */
char *fm_format_count(char buffer[FM_FORMAT_SIZE], int64_t value);

/** Writes a value as its unit demands: duration, count, or bytes ("1.500 MiB"). */
char *fm_format_value(char buffer[FM_FORMAT_SIZE], const struct fm_cube *cube, fm_unit_t unit,
                      int64_t value);

/** Writes `part` of `whole` as "31.2%"; 0 if `whole` is 0. Something that is not 0 never becomes
 * "0.0%" but "<0.1%", and a part that is not the whole never "100.0%" but ">99.9%". */
char *fm_format_percent(char buffer[FM_FORMAT_SIZE], int64_t part, int64_t whole);

/** @return part / whole, 0 if `whole` is 0. */
double fm_fraction(int64_t part, int64_t whole);

/** Writes "both longest waits", "all of the 5 longest waits", "2 of the 5 longest waits".
 * @param same   how many of them
 * @param count  how many there are */
char *fm_format_longest(char buffer[FM_LONGEST_SIZE], uint32_t same, uint32_t count);

/** Writes numbers as ranges: "0-3, 5 and 8".
 * @param member  for each number below `count`: is in the list
 * @param limit   after this many ranges the rest becomes "..."
 * @return the text, to be freed with free(); never NULL */
char *fm_format_ranges(const bool *member, uint32_t count, unsigned limit);

#endif
