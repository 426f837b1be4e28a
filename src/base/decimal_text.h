/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Numbers with a decimal point as text, whatever the locale and the rounding mode of the process.
 * The recorder runs in programs that choose both: it prints no number with a point otherwise.
 * Thread-safe; may be called in signal handlers.
 */
#ifndef FERMATA_BASE_DECIMAL_TEXT_H
#define FERMATA_BASE_DECIMAL_TEXT_H

/** A number as text, to be used in the expression that makes it: `fm_decimal(x, 3).text`. */
struct fm_decimal {
    char text[40];
};

/** @return a number with `digits` digits behind the point, at most 9, rounded to the nearest, and
 * to the even one of two: as printf's %.3f. From 2^64 on it is that of fm_decimal_short(). */
struct fm_decimal fm_decimal(double value, unsigned digits);

/** @return a number with at most `digits` significant digits, from 1 to 17, without zeros at its
 * end: as printf's %.6g. */
struct fm_decimal fm_decimal_short(double value, unsigned digits);

/** Reads a number without sign and exponent: `2`, `0.5`, `.5`.
 * @param value  out: unchanged if there is none
 * @return the text behind the number; NULL: there is none */
const char *fm_decimal_read(const char *text, double *value);

#endif
