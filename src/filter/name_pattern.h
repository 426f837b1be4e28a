/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Wildcard patterns of names, as in shells.
 */
#ifndef FERMATA_FILTER_NAME_PATTERN_H
#define FERMATA_FILTER_NAME_PATTERN_H

#include <stdbool.h>

/** Whether a text matches a pattern as a whole: `*` stands for any characters, `?` for one, `[...]`
 * for one of those in it (`a-z` for a range, `!` or `^` in front for any other), `\` takes the next
 * character as it is. A `[` that nothing closes stands for itself. Bytes, whatever the locale is.
 * O(length of the pattern * length of the text). */
bool fm_pattern_matches(const char *pattern, const char *text);

#endif
