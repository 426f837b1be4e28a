/* SPDX-License-Identifier: BSD-3-Clause */
#include "imbalance/input/csv_number.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Marks between groups of digits besides points and commas. */
static size_t group_mark(const char *text)
{
    static const char *const marks[] = {
        " ", "'", "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x89", "\xe2\x80\x99"};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        size_t length = strlen(marks[i]);
        if (strncmp(text, marks[i], length) == 0) {
            return length;
        }
    }
    return 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *skip_blanks(const char *text)
{
    while (*text == ' ' || *text == '\t') {
        text++;
    }
    return text;
}

/* The separators of a number up to its exponent. */
struct separators {
    unsigned points, commas;
    char last;             /* '.', ',' or 0 */
    size_t before, behind; /* digits in front of the first and behind the last one */
    bool begins_with_zero;
    bool is_number;
};

static struct separators find_separators(const char *text)
{
    struct separators found = {0};
    text = skip_blanks(text);
    text += *text == '-' || *text == '+';
    found.begins_with_zero = *text == '0';
    size_t digits = 0;
    for (;;) {
        const size_t mark = group_mark(text);
        if (is_digit(*text)) {
            digits++;
            found.before += found.last == 0;
            found.behind++;
            text++;
        } else if (*text == '.' || *text == ',') {
            found.points += *text == '.';
            found.commas += *text == ',';
            found.last = *text++;
            found.behind = 0;
        } else if (mark > 0 && is_digit(text[mark])) {
            text += mark;
        } else {
            break;
        }
    }
    found.is_number = digits > 0;
    return found;
}

enum fm_decimal_mark fm_number_notation(const char *text)
{
    const struct separators found = find_separators(text);
    if (!found.is_number || found.last == 0) {
        return FM_DECIMAL_UNKNOWN;
    }
    const unsigned count = found.last == '.' ? found.points : found.commas;
    const unsigned others = found.last == '.' ? found.commas : found.points;
    bool last_is_decimal = true;
    if (count > 1) {
        last_is_decimal = false;
    } else if (others == 0 && found.behind == 3 && found.before >= 1 && found.before <= 3 &&
               !found.begins_with_zero) {
        return FM_DECIMAL_UNKNOWN;
    }
    return (found.last == '.') == last_is_decimal ? FM_DECIMAL_POINT : FM_DECIMAL_COMMA;
}

bool fm_number_is_ambiguous(const char *text)
{
    const struct separators found = find_separators(text);
    return found.is_number && found.last != 0 && fm_number_notation(text) == FM_DECIMAL_UNKNOWN;
}

static bool is_missing(const char *text)
{
    static const char *const words[] = {
        "",         "-",   "n/a",        "na",         "nan",           "-nan", "inf",    "-inf",
        "OVERFLOW", "(!)", "<OVERFLOW>", "(OVERFLOW)", "not available", "!",    "(!) n/a"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcasecmp(text, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

enum { LONGEST = 64 };

/* Copies the digits of a number in C's notation. Groups must have three digits each.
 * @return the end of the number in `text`, NULL: it is none */
static const char *copy_plain(const char *text, enum fm_decimal_mark decimal, char plain[LONGEST])
{
    const char point = decimal == FM_DECIMAL_COMMA ? ',' : '.';
    const char group = decimal == FM_DECIMAL_COMMA ? '.' : ',';
    size_t length = 0, digits = 0, in_group = 0;
    bool grouped = false, has_point = false;
    if (*text == '-' || *text == '+') {
        plain[length++] = *text++;
    }
    for (; length < LONGEST - 8;) {
        const size_t mark = *text == group ? 1 : group_mark(text);
        if (is_digit(*text)) {
            plain[length++] = *text++;
            digits++;
            in_group++;
        } else if (*text == point && !has_point) {
            if (grouped && in_group != 3) {
                return NULL;
            }
            has_point = true;
            plain[length++] = '.';
            text++;
        } else if (mark > 0 && !has_point && is_digit(text[mark])) {
            if (in_group == 0 || in_group > 3 || (grouped && in_group != 3)) {
                return NULL;
            }
            grouped = true;
            in_group = 0;
            text += mark;
        } else {
            break;
        }
    }
    if (digits == 0 || is_digit(*text) || (grouped && !has_point && in_group != 3)) {
        return NULL;
    }
    if (*text == 'e' || *text == 'E') {
        const char *exponent = text + 1;
        exponent += *exponent == '-' || *exponent == '+';
        const size_t count = strspn(exponent, "0123456789");
        if (count == 0 || count > 3) {
            return NULL;
        }
        memcpy(plain + length, text, (size_t)(exponent - text) + count);
        length += (size_t)(exponent - text) + count;
        text = exponent + count;
    }
    plain[length] = '\0';
    return text;
}

/* Reads a number at the begin of `text`. @return its end, NULL: there is none. The program never
 * sets LC_NUMERIC: strtod() takes points. */
static const char *read_plain(const char *text, enum fm_decimal_mark decimal, double *value)
{
    char plain[LONGEST];
    const char *end = copy_plain(text, decimal, plain);
    if (end != NULL) {
        *value = strtod(plain, NULL);
        end = isfinite(*value) ? end : NULL;
    }
    return end;
}

/* The level in "Mid (5)", a word and a number in parentheses. */
static bool read_level(const char *text, enum fm_decimal_mark decimal, double *value)
{
    const size_t word = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    const char *open = skip_blanks(text + word);
    if (word == 0 || *open != '(') {
        return false;
    }
    const char *end = read_plain(open + 1, decimal, value);
    return end != NULL && strcmp(end, ")") == 0;
}

struct fm_number fm_number_read(const char *text, enum fm_decimal_mark decimal)
{
    struct fm_number number = {.kind = FM_NUMBER_WRONG};
    text = skip_blanks(text);
    if (is_missing(text)) {
        number.kind = FM_NUMBER_MISSING;
        return number;
    }
    const char *end = read_plain(text, decimal, &number.value);
    if (end == NULL) {
        if (read_level(text, decimal, &number.value)) {
            number.kind = FM_NUMBER_VALUE;
        }
        return number;
    }
    end = skip_blanks(end);
    if (*end == '%') {
        number.is_percent = true;
        end = skip_blanks(end + 1);
    }
    if (*end == '(') {
        number.instances = end;
        end = strchr(end, ')');
        end = end == NULL ? number.instances : skip_blanks(end + 1);
    }
    number.kind = *end == '\0' ? FM_NUMBER_VALUE : FM_NUMBER_WRONG;
    return number;
}

bool fm_number_next_instance(const char **list, enum fm_decimal_mark decimal, double *value)
{
    const char *text = *list;
    if (*text != '(' && *text != ';') {
        return false;
    }
    const char *end = read_plain(skip_blanks(text + 1), decimal, value);
    if (end == NULL) {
        return false;
    }
    *list = skip_blanks(end);
    return **list == ';' || **list == ')';
}

double fm_unit_of_time(const char *unit)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"ns", 1e-9},        {"nsecond", 1e-9},     {"nsec", 1e-9}, {"nanosecond", 1e-9},
                 {"us", 1e-6},        {"usecond", 1e-6},     {"usec", 1e-6}, {"\xc2\xb5s", 1e-6},
                 {"\xce\xbcs", 1e-6}, {"microsecond", 1e-6}, {"ms", 1e-3},   {"msecond", 1e-3},
                 {"msec", 1e-3},      {"millisecond", 1e-3}, {"s", 1},       {"sec", 1},
                 {"second", 1}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        const size_t length = strlen(units[i].name);
        if (strncasecmp(unit, units[i].name, length) == 0 &&
            (unit[length] == '\0' || strcasecmp(unit + length, "s") == 0)) {
            return units[i].seconds;
        }
    }
    return 0;
}

double fm_unit_of(const char *unit, const char *base)
{
    static const struct {
        char letter;
        double factor;
    } prefixes[] = {{'K', 1e3}, {'k', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}};
    double factor = 1;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        if (unit[0] == prefixes[i].letter && strncmp(unit + 1, base, strlen(base)) == 0) {
            factor = prefixes[i].factor;
            unit++;
            break;
        }
    }
    const size_t length = strlen(base);
    return strncmp(unit, base, length) == 0 &&
                   (unit[length] == '\0' || strcmp(unit + length, "s") == 0)
               ? factor
               : 0;
}
