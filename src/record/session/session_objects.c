#include "record/session/session_objects.h"

#include "record/session/session_paradigms.h"
#include "record/stack/resolve.h"
#include "record/stack/variables.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The objects that were reported. */
struct naming {
    struct fm_variable *variables;
    uint32_t *ids;
    size_t count, room;
    bool failed;
};

static void collect(void *context, uint32_t id, uint64_t address)
{
    struct naming *naming = context;
    if (naming->count == naming->room) {
        size_t room = naming->room != 0 ? 2 * naming->room : 64;
        struct fm_variable *variables = realloc(naming->variables, room * sizeof *variables);
        naming->variables = variables != NULL ? variables : naming->variables;
        uint32_t *ids = realloc(naming->ids, room * sizeof *ids);
        naming->ids = ids != NULL ? ids : naming->ids;
        if (variables == NULL || ids == NULL) {
            naming->failed = true;
            return;
        }
        naming->room = room;
    }
    naming->variables[naming->count] = (struct fm_variable){.address = address};
    naming->ids[naming->count++] = id;
}

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

bool fm_session_define_objects(struct fm_definitions *set, uint32_t rank)
{
    char helper[PATH_MAX];
    struct naming naming = {.variables = NULL};
    fm_session_report_objects(collect, &naming);
    fm_resolve_own_helper(helper, sizeof helper);
    fm_variables_name(naming.variables, naming.count, helper);
    bool good = !naming.failed;
    for (size_t i = 0; i < naming.count; i++) {
        good = good && define(set, rank, naming.ids[i], &naming.variables[i]);
        free(naming.variables[i].name);
    }
    free(naming.variables);
    free(naming.ids);
    return good;
}
