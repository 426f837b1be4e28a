/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/quantity.h"

#include <stddef.h>
#include <string.h>

#define MOST ((uint64_t)INT64_MAX)

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads digits. @return the text behind them, `text` if there are none; NULL: the number exceeds
 * MOST */
static const char *read_digits(const char *text, uint64_t *number)
{
    uint64_t value = 0;
    for (; is_digit(*text); text++) {
        uint64_t digit = (uint64_t)(*text - '0');
        if (value > (MOST - digit) / 10) {
            return NULL;
        }
        value = 10 * value + digit;
    }
    *number = value;
    return text;
}

/* Reads the digits behind the point as billionths; those behind the ninth are skipped. */
static const char *read_billionths(const char *text, uint64_t *number)
{
    uint64_t value = 0, unit = 1000000000;
    for (; is_digit(*text); text++) {
        unit /= 10;
        value += unit * (uint64_t)(*text - '0');
    }
    *number = value;
    return text;
}

/* Reads a duration. @param has_unit  out: whether a unit follows the number */
static const char *read_duration(const char *text, uint64_t *nanoseconds, bool *has_unit)
{
    static const struct {
        const char *name;
        uint64_t nanoseconds;
    } units[] = {{"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}};
    uint64_t whole, billionths = 0, unit = units[0].nanoseconds;
    const char *behind = read_digits(text, &whole);
    if (behind == NULL) {
        return NULL;
    }
    bool any = behind != text;
    if (*behind == '.') {
        any = any || is_digit(behind[1]);
        behind = read_billionths(behind + 1, &billionths);
    }
    if (!any) {
        return NULL;
    }
    *has_unit = false;
    for (size_t i = 0; i < sizeof units / sizeof units[0] && !*has_unit; i++) {
        size_t length = strlen(units[i].name);
        if (strncmp(behind, units[i].name, length) == 0) {
            *has_unit = true;
            unit = units[i].nanoseconds;
            behind += length;
        }
    }
    if (whole > MOST / unit - 1) {
        return NULL;
    }
    *nanoseconds = whole * unit + (billionths * unit + 500000000) / 1000000000;
    return behind;
}

const char *fm_duration_part(const char *text, uint64_t *nanoseconds)
{
    bool has_unit;
    return read_duration(text, nanoseconds, &has_unit);
}

bool fm_duration_read(const char *text, uint64_t *nanoseconds)
{
    uint64_t value;
    const char *behind = fm_duration_part(text, &value);
    if (behind == NULL || *behind != '\0') {
        return false;
    }
    *nanoseconds = value;
    return true;
}

bool fm_duration_read_with_unit(const char *text, uint64_t *nanoseconds)
{
    bool has_unit;
    uint64_t value;
    const char *behind = read_duration(text, &value, &has_unit);
    if (behind == NULL || *behind != '\0' || !has_unit) {
        return false;
    }
    *nanoseconds = value;
    return true;
}

static char upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

const char *fm_size_part(const char *text, uint64_t *bytes)
{
    static const char units[] = "KMGT";
    uint64_t number;
    const char *behind = read_digits(text, &number);
    if (behind == NULL || behind == text) {
        return NULL;
    }
    const char *unit = *behind != '\0' ? strchr(units, upper(*behind)) : NULL;
    unsigned shift = unit != NULL ? 10 * (unsigned)(unit - units + 1) : 0;
    if (number > MOST >> shift) {
        return NULL;
    }
    behind += unit != NULL;
    if (unit != NULL && upper(behind[0]) == 'I' && upper(behind[1]) == 'B') {
        behind += 2;
    } else if (upper(behind[0]) == 'B') {
        behind++;
    }
    *bytes = number << shift;
    return behind;
}

bool fm_size_read(const char *text, uint64_t *bytes)
{
    uint64_t value;
    const char *behind = fm_size_part(text, &value);
    if (behind == NULL || *behind != '\0') {
        return false;
    }
    *bytes = value;
    return true;
}
