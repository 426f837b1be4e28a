/* SPDX-License-Identifier: BSD-3-Clause */
#include "arguments.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

bool read_seconds(const char *text, double *seconds)
{
    char *end;
    *seconds = strtod(text, &end);
    return end != text && *end == '\0' && *seconds >= 0.0 && *seconds <= 3600.0;
}

bool read_count(const char *text, int least, int most, int *count)
{
    char *end;
    errno = 0;
    const long number = strtol(text, &end, 10);
    *count = (int)number;
    return end != text && *end == '\0' && errno == 0 && number >= least && number <= most;
}

bool read_whole(const char *text, int least, int *value, char **end)
{
    errno = 0;
    const long number = strtol(text, end, 10);
    if (*end == text || errno != 0 || number < least || number > INT_MAX)
        return false;
    *value = (int)number;
    return true;
}

bool read_real(const char *text, double *value, char **end)
{
    errno = 0;
    *value = strtod(text, end);
    return *end != text && errno == 0 && isfinite(*value) && *value >= 0.0;
}

bool read_size(const char *text, int *nx, int *ny)
{
    char *end;
    return read_whole(text, 1, nx, &end) && *end == 'x' && read_whole(end + 1, 1, ny, &end) &&
           *end == '\0';
}

bool read_imbalance(const char *text, int rank, int size, double *percent)
{
    char *end;
    double read;
    if (!read_real(text, &read, &end))
        return false;
    bool meant = rank == size - 1;
    if (*end == ':') {
        meant = false;
        do {
            int listed;
            if (!read_whole(end + 1, 0, &listed, &end) || listed >= size)
                return false;
            meant = meant || listed == rank;
        } while (*end == ',');
    }
    *percent = meant ? read : 0.0;
    return *end == '\0';
}
