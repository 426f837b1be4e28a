/* SPDX-License-Identifier: BSD-3-Clause */
#include "import/kineto/kernel_name.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

#define ANONYMOUS "(anonymous namespace)"

/* @return the end of what the bracket at `at` opens; the end of the text: nothing closes it */
static const char *behind_bracket(const char *at)
{
    const char open = *at, close = open == '<' ? '>' : ')';
    unsigned depth = 0;
    for (; *at != '\0'; at++) {
        const bool is_arrow = *at == '>' && at[-1] == '-';
        depth += *at == open;
        if (*at == close && !is_arrow && --depth == 0) {
            return at + 1;
        }
    }
    return at;
}

bool fm_kernel_communicates(const char *name)
{
    return strncmp(name, "ncclDevKernel", 13) == 0 || strncmp(name, "ncclKernel", 10) == 0;
}

char *fm_kernel_region(const char *name)
{
    static const char prefix[] = "kernel ";
    const bool is_own = fm_kernel_communicates(name);
    const size_t length = strlen(name);
    char *region = fm_allocate(length + sizeof prefix, 1);
    char *to = region;
    if (!is_own) {
        memcpy(to, prefix, sizeof prefix - 1);
        to += sizeof prefix - 1;
    }
    char *const first = to;
    const char *at = name;
    while (*at != '\0') {
        if (strncmp(at, ANONYMOUS, sizeof ANONYMOUS - 1) == 0) {
            memcpy(to, ANONYMOUS, sizeof ANONYMOUS - 1);
            to += sizeof ANONYMOUS - 1;
            at += sizeof ANONYMOUS - 1;
        } else if (*at == '<') {
            at = behind_bracket(at);
        } else if (*at == '(') {
            break;
        } else if (*at == ' ') { /* a result type ends */
            to = first;
            at++;
        } else {
            *to++ = *at++;
        }
    }
    if (to == first) { /* a name of another form stays as it is */
        memcpy(to, name, length);
        to += length;
    }
    *to = '\0';
    return region;
}
