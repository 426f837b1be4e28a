/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/text/safe_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* @return the length of the UTF-8 sequence at `text` if it is a printable character, else 0. */
static size_t printable_length(const unsigned char *text)
{
    size_t length = text[0] < 0x80                       ? 1
                    : text[0] >= 0xc2 && text[0] <= 0xdf ? 2
                    : text[0] >= 0xe0 && text[0] <= 0xef ? 3
                    : text[0] >= 0xf0 && text[0] <= 0xf4 ? 4
                                                         : 0;
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool is_control = length == 1 ? text[0] < ' ' || text[0] == 0x7f
                                  : length == 2 && text[0] == 0xc2 && text[1] < 0xa0;
    return is_control ? 0 : length;
}

char *fm_safe_text(char *text)
{
    unsigned char *next = (unsigned char *)text;
    while (*next != '\0') {
        size_t length = printable_length(next);
        if (length == 0) {
            *next = '?';
            length = 1;
        }
        next += length;
    }
    return text;
}

char *fm_safe_copy(char *buffer, size_t size, const char *text)
{
    snprintf(buffer, size, "%s", text == NULL ? "" : text);
    return fm_safe_text(buffer);
}
