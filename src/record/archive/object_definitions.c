/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/archive/object_definitions.h"

#include <stdio.h>
#include <string.h>

/* The variables that compilers make for the critical constructs of OpenMP,
 * `.gomp_critical_user_NAME` by GCC and `.gomp_critical_user_NAME.var` by LLVM, are called as the
 * constructs are.
 * @return the length of NAME, which may be 0; -1: it is no such variable */
static int critical_name(const char *variable, const char **name)
{
    static const char prefix[] = ".gomp_critical_user_";
    if (strncmp(variable, prefix, sizeof prefix - 1) != 0) {
        return -1;
    }
    *name = variable + sizeof prefix - 1;
    return (int)strcspn(*name, ".");
}

static bool define(struct fm_definitions *set, uint32_t rank, uint32_t id,
                   const struct fm_variable *variable)
{
    const char *of_critical;
    char text[512];
    int length = variable->name != NULL ? critical_name(variable->name, &of_critical) : -1;
    if (length == 0) {
        return true; /* of the critical constructs without a name: their regions name it */
    }
    if (length > 0) {
        snprintf(text, sizeof text, "critical (%.*s)", length, of_critical);
    } else if (variable->name != NULL) {
        snprintf(text, sizeof text, "%s", variable->name);
    } else {
        snprintf(text, sizeof text, "0x%llx", (unsigned long long)variable->address);
    }
    const uint32_t words[] = {rank, id, fm_define_string(set, text)};
    return words[2] != FM_DEFINE_NONE &&
           fm_define(set, FM_DEFINE_OBJECT, words, 3) != FM_DEFINE_NONE;
}

bool fm_objects_define(struct fm_definitions *set, uint32_t rank, const uint32_t *ids,
                       const struct fm_variable *variables, size_t count)
{
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        good = define(set, rank, ids[i], &variables[i]);
    }
    return good;
}
