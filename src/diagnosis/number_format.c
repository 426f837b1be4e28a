/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnosis/number_format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Writes `value` with 4 significant digits, followed by a unit. */
static void write_scaled(char buffer[FM_FORMAT_SIZE], double value, const char *unit)
{
    double size = fabs(value);
    int decimals = size < 9.9995 ? 3 : size < 99.995 ? 2 : size < 999.95 ? 1 : 0;
    snprintf(buffer, FM_FORMAT_SIZE, "%.*f %s", decimals, value, unit);
}

char *fm_format_ticks(char buffer[FM_FORMAT_SIZE], const struct fm_cube *cube, int64_t ticks)
{
    return fm_format_duration(buffer, ticks, cube->experiment.ticks_per_second);
}

char *fm_format_duration(char buffer[FM_FORMAT_SIZE], int64_t ticks, uint64_t ticks_per_second)
{
    double seconds = (double)ticks / (double)ticks_per_second;
    double size = fabs(seconds);
    if (size == 0)
        snprintf(buffer, FM_FORMAT_SIZE, "0 s");
    else if (size < 999.95e-9)
        write_scaled(buffer, seconds * 1e9, "ns");
    else if (size < 999.95e-6)
        write_scaled(buffer, seconds * 1e6, "us");
    else if (size < 999.95e-3)
        write_scaled(buffer, seconds * 1e3, "ms");
    else
        write_scaled(buffer, seconds, "s");
    return buffer;
}

char *fm_format_count(char buffer[FM_FORMAT_SIZE], int64_t value)
{
    return fm_text_count(buffer, value);
}

static void write_bytes(char buffer[FM_FORMAT_SIZE], int64_t value)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double scaled = (double)value;
    unsigned unit = 0;
    while (fabs(scaled) >= 1023.95 && unit + 1 < sizeof units / sizeof units[0]) {
        scaled /= 1024;
        unit++;
    }
    if (unit == 0)
        snprintf(buffer, FM_FORMAT_SIZE, "%lld B", (long long)value);
    else
        write_scaled(buffer, scaled, units[unit]);
}

char *fm_format_value(char buffer[FM_FORMAT_SIZE], const struct fm_cube *cube, fm_unit_t unit,
                      int64_t value)
{
    switch (unit) {
    case FM_UNIT_TICKS:
        fm_format_ticks(buffer, cube, value);
        break;
    case FM_UNIT_COST:
        fm_format_ticks(buffer, cube, value >> cube->experiment.cost_shift);
        break;
    case FM_UNIT_OCCURRENCES:
        fm_format_count(buffer, value);
        break;
    case FM_UNIT_BYTES:
        write_bytes(buffer, value);
        break;
    }
    return buffer;
}

double fm_fraction(int64_t part, int64_t whole)
{
    return whole == 0 ? 0 : (double)part / (double)whole;
}

char *fm_format_percent(char buffer[FM_FORMAT_SIZE], int64_t part, int64_t whole)
{
    return fm_text_percent(buffer, part, whole);
}

/** @return the end of a range of consecutive numbers. Two consecutive numbers are two ranges, for
 * readability: "3 and 4". */
static uint32_t range_end(const bool *member, uint32_t count, uint32_t first)
{
    uint32_t end = first;
    while (end < count && member[end])
        end++;
    return end == first + 2 ? first + 1 : end;
}

char *fm_format_longest(char buffer[FM_LONGEST_SIZE], uint32_t same, uint32_t count)
{
    if (count == 2 && same == count)
        snprintf(buffer, FM_LONGEST_SIZE, "both longest waits");
    else if (count > 1 && same == count)
        snprintf(buffer, FM_LONGEST_SIZE, "all of the %u longest waits", count);
    else
        snprintf(buffer, FM_LONGEST_SIZE, "%u of the %u longest waits", same, count);
    return buffer;
}

char *fm_format_ranges(const bool *member, uint32_t count, unsigned limit)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL)
        abort(); /* Without memory for one line no error message can be printed either. */
    unsigned ranges = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (member[i]) {
            ranges++;
            i = range_end(member, count, i) - 1;
        }
    }
    unsigned written = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!member[i])
            continue;
        if (written > 0)
            fputs(written + 1 == ranges && ranges <= limit ? " and " : ", ", stream);
        if (written++ == limit) {
            fputs("...", stream);
            break;
        }
        uint32_t end = range_end(member, count, i);
        fprintf(stream, "%u", i);
        if (end > i + 1)
            fprintf(stream, "-%u", end - 1);
        i = end - 1;
    }
    fclose(stream);
    return text;
}
