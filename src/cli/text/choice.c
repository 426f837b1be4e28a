#include "cli/text/choice.h"

#include <stdio.h>
#include <string.h>

fm_status_t fm_choice_parse(const char *option, const char *value, const char *const *names,
                            int *chosen, struct fm_error *error)
{
    char all[128] = "";
    for (int i = 0; names[i] != NULL; i++) {
        if (strcmp(value, names[i]) == 0) {
            *chosen = i;
            return FM_OK;
        }
        size_t length = strlen(all);
        snprintf(all + length, sizeof all - length, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    return fm_fail(error, FM_ERR_USAGE, "%s: '%s' is none of %s", option, value, all);
}
