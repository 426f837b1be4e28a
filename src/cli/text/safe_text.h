/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Text from traces and files for the terminal: names must not be able to steer it.
 */
#ifndef FERMATA_CLI_TEXT_SAFE_TEXT_H
#define FERMATA_CLI_TEXT_SAFE_TEXT_H

#include <stddef.h>

/** Replaces control characters, also those of UTF-8's C1 range and stray bytes, by '?'.
 * @return text */
char *fm_safe_text(char *text);

/** Copies `text` into `buffer`, cut off if it is too long, and makes it safe. NULL gives "".
 * @return buffer */
char *fm_safe_copy(char *buffer, size_t size, const char *text);

#endif
