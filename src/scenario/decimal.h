/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Exact decimal numbers: times, severities and tolerances of scenario files are compared as they
 * are written, never as binary fractions.
 */
#ifndef FERMATA_SCENARIO_DECIMAL_H
#define FERMATA_SCENARIO_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Decimal digits behind the point that a number can have. */
#define FM_DECIMAL_DIGITS 18

/** A number as integer multiple of 10^-18; the magnitude stays below 10^36. */
typedef __int128 fm_decimal;

/** Characters that fm_decimal_format() needs at most, with the final NUL. */
#define FM_DECIMAL_LENGTH 48

/** Reads `[+-]digits[.digits][e[+-]digits]`, all of `text`.
 * @param value  out: the exact value
 * @return false: not a number, or not exactly representable (magnitude of 10^18 or more, or a digit
 *         other than 0 behind the 18th decimal). */
bool fm_decimal_parse(const char *text, size_t length, fm_decimal *value);

/** @return `count` / 1000, the value in units of a duration in ticks of a scenario's clock. */
fm_decimal fm_decimal_from_ticks(int64_t count);

/** @return `count` as decimal number. */
fm_decimal fm_decimal_from_integer(int64_t count);

/** Writes the shortest plain notation, such as `-1.25`.
 * @param text  out: at least FM_DECIMAL_LENGTH characters
 * @return text */
char *fm_decimal_format(fm_decimal value, char *text);

#endif
