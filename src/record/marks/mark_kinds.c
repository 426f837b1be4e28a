/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/marks/mark_kinds.h"

#include <stddef.h>
#include <string.h>

const struct fm_mark_kind_facts fm_mark_kinds[FM_MARK_KINDS] = {
#define FM_MARK_KIND(identifier, word, name_of_variable, is_default, people, how)                  \
    {.name = word,                                                                                 \
     .variable = name_of_variable,                                                                 \
     .by_default = is_default,                                                                     \
     .title = people,                                                                              \
     .way = how},
#include "record/marks/mark_kinds.def"
#undef FM_MARK_KIND
};

static uint32_t default_kinds(void)
{
    uint32_t kinds = 0;
    for (uint32_t i = 0; i < FM_MARK_KINDS; i++) {
        kinds |= (uint32_t)fm_mark_kinds[i].by_default << i;
    }
    return kinds;
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* The kinds that a word of `length` bytes selects; 0: it is unknown. */
static uint32_t kinds_of(const char *text, size_t length)
{
    if (is_word(text, length, "default")) {
        return default_kinds();
    }
    for (uint32_t i = 0; i < FM_MARK_KINDS; i++) {
        if (is_word(text, length, fm_mark_kinds[i].name)) {
            return (uint32_t)1 << i;
        }
    }
    return 0;
}

bool fm_mark_kinds_read(const char *text, uint32_t *kinds)
{
    *kinds = 0;
    if (text == NULL || text[0] == '\0') {
        *kinds = default_kinds();
        return true;
    }
    if (strcmp(text, "off") == 0) {
        return true;
    }
    for (;;) {
        const size_t length = strcspn(text, ",");
        const uint32_t found = kinds_of(text, length);
        if (found == 0) {
            return false;
        }
        *kinds |= found;
        if (text[length] == '\0') {
            return true;
        }
        text += length + 1;
    }
}
