/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/decimal_text.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static const uint64_t powers[] = {1,
                                  10,
                                  100,
                                  1000,
                                  10000,
                                  100000,
                                  1000000,
                                  10000000,
                                  100000000,
                                  1000000000,
                                  10000000000,
                                  100000000000,
                                  1000000000000,
                                  10000000000000,
                                  100000000000000,
                                  1000000000000000,
                                  10000000000000000,
                                  100000000000000000};

enum { MOST_FRACTION = 9, MOST_SIGNIFICANT = 17 };

/* @return the nearest whole number, of two the even one */
static uint64_t nearest(long double value)
{
    const uint64_t whole = (uint64_t)value;
    const long double rest = value - (long double)whole;
    return whole + (rest > 0.5L || (rest == 0.5L && whole % 2 == 1));
}

/* Writes at least `width` digits. @return the place behind them */
static char *put_digits(char *place, uint64_t number, unsigned width)
{
    char reversed[24];
    unsigned count = 0;
    for (; number != 0 || count < width; number /= 10) {
        reversed[count++] = (char)('0' + number % 10);
    }
    while (count > 0) {
        *place++ = reversed[--count];
    }
    return place;
}

/* Writes the sign, and what is no number. @return the place behind; NULL: nothing may follow */
static char *put_sign(struct fm_decimal *decimal, double value)
{
    char *place = decimal->text;
    if (signbit(value)) {
        *place++ = '-';
    }
    if (isnan(value) || isinf(value)) {
        strcpy(place, isnan(value) ? "nan" : "inf");
        return NULL;
    }
    return place;
}

struct fm_decimal fm_decimal(double value, unsigned digits)
{
    struct fm_decimal decimal;
    const double size = fabs(value);
    if (size >= 0x1p64) {
        return fm_decimal_short(value, MOST_SIGNIFICANT);
    }
    char *place = put_sign(&decimal, value);
    if (place == NULL) {
        return decimal;
    }
    digits = digits < MOST_FRACTION ? digits : MOST_FRACTION;
    uint64_t whole = (uint64_t)size;
    uint64_t fraction = 0;
    if (digits == 0) {
        whole = nearest((long double)size);
    } else {
        fraction = nearest((long double)(size - (double)whole) * (long double)powers[digits]);
    }
    if (fraction == powers[digits] && digits > 0) {
        whole++;
        fraction = 0;
    }
    place = put_digits(place, whole, 1);
    if (digits > 0) {
        *place++ = '.';
        place = put_digits(place, fraction, digits);
    }
    *place = '\0';
    return decimal;
}

/* A positive number as whole digits and a power of ten: value = number * 10^(exponent - digits + 1)
 */
struct scaled {
    uint64_t number;
    int exponent;
};

/* Exact up to 10^27. */
static long double power_of_ten(int exponent)
{
    long double power = 1;
    for (int i = 0; i < exponent; i++) {
        power *= 10;
    }
    return power;
}

static struct scaled scale(double size, unsigned digits)
{
    long double mantissa = size;
    int exponent = 0;
    for (; mantissa >= 10; exponent++) {
        mantissa /= 10;
    }
    for (; mantissa < 1; exponent--) {
        mantissa *= 10;
    }
    /* One operation with an exact power: halves remain halves. */
    const int shift = (int)digits - 1 - exponent;
    struct scaled scaled = {nearest(shift >= 0 ? (long double)size * power_of_ten(shift)
                                               : (long double)size / power_of_ten(-shift)),
                            exponent};
    if (scaled.number == powers[digits]) {
        scaled.number /= 10;
        scaled.exponent++;
    }
    return scaled;
}

/* Writes the digits of a number with the point behind the first `before` ones; if that is not
 * positive, behind a zero and so many more. */
static char *put_pointed(char *place, uint64_t number, unsigned digits, int before)
{
    char all[24];
    put_digits(all, number, digits);
    while (digits > 1 && (int)digits > before && all[digits - 1] == '0') {
        digits--;
    }
    if (before <= 0) {
        *place++ = '0';
        *place++ = '.';
        for (int i = before; i < 0; i++) {
            *place++ = '0';
        }
    }
    for (unsigned i = 0; i < digits; i++) {
        if ((int)i == before && i > 0) {
            *place++ = '.';
        }
        *place++ = all[i];
    }
    return place;
}

struct fm_decimal fm_decimal_short(double value, unsigned digits)
{
    struct fm_decimal decimal;
    char *place = put_sign(&decimal, value);
    if (place == NULL) {
        return decimal;
    }
    if (value == 0) {
        strcpy(place, "0");
        return decimal;
    }
    digits = digits < 1 ? 1 : digits < MOST_SIGNIFICANT ? digits : MOST_SIGNIFICANT;
    const struct scaled scaled = scale(fabs(value), digits);
    const int exponent = scaled.exponent;
    if (exponent >= -4 && exponent < (int)digits) {
        place = put_pointed(place, scaled.number, digits, exponent + 1);
    } else {
        place = put_pointed(place, scaled.number, digits, 1);
        *place++ = 'e';
        *place++ = exponent < 0 ? '-' : '+';
        place = put_digits(place, (uint64_t)(exponent < 0 ? -exponent : exponent), 2);
    }
    *place = '\0';
    return decimal;
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

const char *fm_decimal_read(const char *text, double *value)
{
    double read = 0, unit = 1;
    if (!is_digit(text[0]) && !(text[0] == '.' && is_digit(text[1]))) {
        return NULL;
    }
    for (; is_digit(*text); text++) {
        read = 10 * read + (*text - '0');
    }
    if (*text == '.') {
        for (text++; is_digit(*text); text++) {
            unit *= 10;
            read = 10 * read + (*text - '0');
        }
    }
    *value = read / unit;
    return text;
}
