/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/mpi/inside/library_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

void fm_library_words(char *words, size_t size, const char *text, size_t length)
{
    size_t end = 0;
    for (size_t i = 0; i < length && end + 1 < size; i++) {
        bool is_space = isspace((unsigned char)text[i]) != 0;
        if (!is_space || (end > 0 && words[end - 1] != ' ')) {
            words[end++] = is_space ? ' ' : text[i];
        }
    }
    words[end] = '\0';
}

const char *fm_library_name(char name[FM_LIBRARY_NAME], const char *version)
{
    static const char word[] = " Version";
    fm_library_words(name, FM_LIBRARY_NAME, version, strcspn(version, ",\n"));
    char *at = strstr(name, word);
    const char *behind = at != NULL ? at + strlen(word) : name;
    behind += strspn(behind, " ");
    if (at != NULL && *behind == ':') {
        memmove(at, behind + 1, strlen(behind + 1) + 1);
    }
    return name;
}
