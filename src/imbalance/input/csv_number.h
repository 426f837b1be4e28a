/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Numbers of profilers' tables: with decimal points or commas, digits in groups, percent signs,
 * levels of utilization, values of each unit of the processor behind them; and units.
 */
#ifndef FERMATA_IMBALANCE_INPUT_CSV_NUMBER_H
#define FERMATA_IMBALANCE_INPUT_CSV_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/** How the numbers of a file are written. */
enum fm_decimal_mark {
    FM_DECIMAL_UNKNOWN,
    FM_DECIMAL_POINT, /**< 1,234.5 */
    FM_DECIMAL_COMMA  /**< 1.234,5 or 1 234,5 */
};

/** @return what a number reveals of the notation: FM_DECIMAL_UNKNOWN if it is a number in both or
 * in none. Both separators: the last one is the decimal one. One separator twice: it groups digits.
 * One separator once: it is the decimal one unless one to three digits, the first one not 0, stand
 * in front of it and three behind it. */
enum fm_decimal_mark fm_number_notation(const char *text);

/** @return whether the number means different values in the two notations: "1,234". */
bool fm_number_is_ambiguous(const char *text);

enum fm_number_kind {
    FM_NUMBER_VALUE,
    FM_NUMBER_MISSING, /**< a word of the profiler for "not measured": OVERFLOW, n/a, nothing, ...
                        */
    FM_NUMBER_WRONG    /**< no number */
};

/** A number that was read. */
struct fm_number {
    enum fm_number_kind kind;
    double value;
    bool is_percent;       /**< a percent sign stands behind it */
    const char *instances; /**< begin of the list of values in parentheses; NULL: none */
};

/** Reads a number: optional sign, digits in groups or not, decimals, exponent, percent sign. A word
 * with a number in parentheses ("Mid (5)", the level of a utilization) has the value of the number.
 * Behind the number a list "(1; 2; 3)" may follow.
 * @param decimal  FM_DECIMAL_UNKNOWN: as FM_DECIMAL_POINT */
struct fm_number fm_number_read(const char *text, enum fm_decimal_mark decimal);

/** Reads the next value of a list of instances.
 * @param list   at the parenthesis or behind the last value; moved behind the value
 * @return whether there was one; false also at what is no number */
bool fm_number_next_instance(const char **list, enum fm_decimal_mark decimal, double *value);

/** @return the seconds of a unit of time ("ns", "usecond", "msec", "s", ...), 0: it is none. */
double fm_unit_of_time(const char *unit);

/** @return the factor of a unit with a metric prefix: 1e3 for "Kcycle" and "cycle"; 0: it is not
 * the unit `base`. */
double fm_unit_of(const char *unit, const char *base);

#endif
