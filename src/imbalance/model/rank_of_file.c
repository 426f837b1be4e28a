/* SPDX-License-Identifier: BSD-3-Clause */
#include "imbalance/model/rank_of_file.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

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

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The rank in a name that follows a pattern. */
static uint32_t rank_by_pattern(const char *name, const char *pattern)
{
    const char *place = strstr(pattern, "%r");
    const size_t before = place == NULL ? 0 : (size_t)(place - pattern);
    const size_t behind = place == NULL ? 0 : strlen(place + 2), length = strlen(name);
    if (place == NULL || length < before + behind || strncmp(name, pattern, before) != 0 ||
        strcmp(name + length - behind, place + 2) != 0) {
        return UINT32_MAX;
    }
    return number_in(name + before, name + length - behind);
}

/* What tells that a number is the rank, the strongest last. */
enum strength { PART_OF_WORD, WORD, BEHIND_RANK, STRENGTHS };

static enum strength strength_of(const char *name, const char *begin, const char *end)
{
    static const char rank[] = "rank";
    const size_t length = sizeof rank - 1;
    const char *word = begin > name && strchr("-_.=", begin[-1]) != NULL ? begin - 1 : begin;
    if ((size_t)(word - name) >= length && strncasecmp(word - length, rank, length) == 0) {
        return BEHIND_RANK;
    }
    const bool is_part = (begin > name && is_letter(begin[-1])) || is_letter(*end);
    return is_part ? PART_OF_WORD : WORD;
}

enum fm_rank_answer fm_rank_in_name(const char *path, const char *pattern, uint32_t *rank)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    if (pattern != NULL) {
        *rank = rank_by_pattern(name, pattern);
        return *rank == UINT32_MAX ? FM_RANK_UNSTATED : FM_RANK_STATED;
    }
    const char *last = strrchr(name, '.');
    last = last == NULL ? name + strlen(name) : last;
    unsigned counts[STRENGTHS] = {0};
    uint32_t found[STRENGTHS] = {0};
    for (const char *begin = name, *end; begin < last; begin = end) {
        end = begin + 1;
        if (is_digit(*begin)) {
            while (end < last && is_digit(*end)) {
                end++;
            }
            const enum strength strength = strength_of(name, begin, end);
            found[strength] = number_in(begin, end);
            counts[strength]++;
        }
    }
    for (int strength = STRENGTHS - 1; strength >= 0; strength--) {
        *rank = found[strength];
        if (counts[strength] != 0) {
            return counts[strength] > 1  ? FM_RANK_AMBIGUOUS
                   : *rank == UINT32_MAX ? FM_RANK_UNSTATED
                                         : FM_RANK_STATED;
        }
    }
    return FM_RANK_UNSTATED;
}
