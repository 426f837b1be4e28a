/* SPDX-License-Identifier: BSD-3-Clause */
#include "imbalance/model/rank_of_file.h"

#include <stdbool.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* @return the number in [begin, end); UINT32_MAX: it is none or too large */
static uint32_t number_in(const char *begin, const char *end)
{
    uint64_t number = 0;
    if (begin >= end || end - begin > 9) {
        return UINT32_MAX;
    }
    for (const char *c = begin; c < end; c++) {
        if (!is_digit(*c)) {
            return UINT32_MAX;
        }
        number = number * 10 + (uint64_t)(*c - '0');
    }
    return (uint32_t)number;
}

uint32_t fm_rank_in_name(const char *path, const char *pattern)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    if (pattern != NULL) {
        const char *place = strstr(pattern, "%r");
        const size_t before = place == NULL ? 0 : (size_t)(place - pattern);
        const size_t behind = place == NULL ? 0 : strlen(place + 2), length = strlen(name);
        if (place == NULL || length < before + behind || strncmp(name, pattern, before) != 0 ||
            strcmp(name + length - behind, place + 2) != 0) {
            return UINT32_MAX;
        }
        return number_in(name + before, name + length - behind);
    }
    const char *end = strrchr(name, '.');
    end = end == NULL ? name + strlen(name) : end;
    while (end > name && !is_digit(end[-1])) {
        end--;
    }
    const char *begin = end;
    while (begin > name && is_digit(begin[-1])) {
        begin--;
    }
    return number_in(begin, end);
}
