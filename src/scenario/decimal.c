/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/decimal.h"

#include <stdio.h>
#include <string.h>

#define WHOLE_LIMIT  1000000000000000000LL                          /* 10^18 */
#define DIGITS_LIMIT ((fm_decimal)WHOLE_LIMIT * (WHOLE_LIMIT / 10)) /* one more digit fits */

static bool is_digit(char character)
{
    return character >= '0' && character <= '9';
}

static bool parse_exponent(const char *text, const char *end, long *exponent)
{
    bool negative = false;
    if (text < end && (*text == '+' || *text == '-')) {
        negative = *text++ == '-';
    }
    if (text == end) {
        return false;
    }
    long value = 0;
    for (; text < end; text++) {
        if (!is_digit(*text)) {
            return false;
        }
        if (value < 100000) {
            value = value * 10 + (*text - '0');
        }
    }
    *exponent = negative ? -value : value;
    return true;
}

bool fm_decimal_parse(const char *text, size_t length, fm_decimal *value)
{
    const char *end = text + length;
    fm_decimal result = 0;
    bool negative = false;
    bool any_digit = false;
    bool fraction = false;
    long decimals = 0;
    long exponent = 0;

    if (text < end && (*text == '+' || *text == '-')) {
        negative = *text++ == '-';
    }
    for (; text < end && *text != 'e' && *text != 'E'; text++) {
        if (*text == '.' && !fraction) {
            fraction = true;
            continue;
        }
        if (!is_digit(*text) || result >= DIGITS_LIMIT) {
            return false;
        }
        result = result * 10 + (*text - '0');
        any_digit = true;
        decimals += fraction;
    }
    if (!any_digit || (text < end && !parse_exponent(text + 1, end, &exponent))) {
        return false;
    }
    for (exponent += FM_DECIMAL_DIGITS - decimals; result != 0 && exponent > 0; exponent--) {
        if (result >= DIGITS_LIMIT) {
            return false;
        }
        result *= 10;
    }
    for (; result != 0 && exponent < 0; exponent++) {
        if (result % 10 != 0) {
            return false;
        }
        result /= 10;
    }
    *value = negative ? -result : result;
    return true;
}

fm_decimal fm_decimal_from_ticks(int64_t count)
{
    return (fm_decimal)count * (WHOLE_LIMIT / 1000);
}

fm_decimal fm_decimal_from_integer(int64_t count)
{
    return (fm_decimal)count * WHOLE_LIMIT;
}

char *fm_decimal_format(fm_decimal value, char *text)
{
    bool negative = value < 0;
    unsigned __int128 magnitude = negative ? -(unsigned __int128)value : (unsigned __int128)value;
    unsigned long long fraction = (unsigned long long)(magnitude % WHOLE_LIMIT);
    unsigned __int128 whole = magnitude / WHOLE_LIMIT;
    unsigned long long upper = (unsigned long long)(whole / WHOLE_LIMIT);
    unsigned long long lower = (unsigned long long)(whole % WHOLE_LIMIT);
    char digits[FM_DECIMAL_DIGITS + 2] = "";

    if (fraction != 0) {
        snprintf(digits, sizeof digits, ".%018llu", fraction);
        size_t length = strlen(digits);
        while (digits[length - 1] == '0') {
            digits[--length] = '\0';
        }
    }
    if (upper != 0) {
        snprintf(text, FM_DECIMAL_LENGTH, "%s%llu%018llu%s", negative ? "-" : "", upper, lower,
                 digits);
    } else {
        snprintf(text, FM_DECIMAL_LENGTH, "%s%llu%s", negative ? "-" : "", lower, digits);
    }
    return text;
}
