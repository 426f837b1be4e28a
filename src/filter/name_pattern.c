/* SPDX-License-Identifier: BSD-3-Clause */
#include "filter/name_pattern.h"

#include <stddef.h>

/* Whether a character is in the set behind a `[`.
 * @param end  out: behind its `]`; NULL: there is none */
static bool in_set(const char *set, char text, const char **end)
{
    bool negated = *set == '!' || *set == '^', found = false;
    const char *next = set + negated;
    unsigned char wanted = (unsigned char)text;
    *end = NULL;
    for (const char *first = next; *next != '\0' && (*next != ']' || next == first);) {
        next += *next == '\\' && next[1] != '\0';
        unsigned char low = (unsigned char)*next++, high = low;
        if (next[0] == '-' && next[1] != ']' && next[1] != '\0') {
            next++;
            next += *next == '\\' && next[1] != '\0';
            high = (unsigned char)*next++;
        }
        found = found || (low <= wanted && wanted <= high);
    }
    if (*next == ']') {
        *end = next + 1;
    }
    return found != negated;
}

/* Whether the pattern's first element, which is no `*`, stands for a character.
 * @param next  out: the pattern behind it */
static bool matches_one(const char *pattern, char text, const char **next)
{
    const char *behind;
    *next = pattern + 1;
    if (*pattern == '?') {
        return true;
    }
    if (*pattern == '[') {
        bool found = in_set(pattern + 1, text, &behind);
        if (behind != NULL) {
            *next = behind;
            return found;
        }
    }
    if (*pattern == '\\' && pattern[1] != '\0') {
        *next = pattern + 2;
        return pattern[1] == text;
    }
    return *pattern == text;
}

bool fm_pattern_matches(const char *pattern, const char *text)
{
    /* Where matching resumes when it fails behind the last `*`: that `*` takes one character more.
     */
    const char *behind_star = NULL, *again = NULL, *next;
    while (*text != '\0' || *pattern != '\0') {
        if (*pattern == '*') {
            behind_star = ++pattern;
            again = text;
        } else if (*text != '\0' && *pattern != '\0' && matches_one(pattern, *text, &next)) {
            pattern = next;
            text++;
        } else if (behind_star != NULL && *again != '\0') {
            pattern = behind_star;
            text = ++again;
        } else {
            return false;
        }
    }
    return true;
}
