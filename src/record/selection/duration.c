#include "record/selection/duration.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

bool fm_duration_parse(const char *text, uint64_t *nanoseconds)
{
    static const struct {
        const char *name;
        double nanoseconds;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    const double most = 86400e9;
    char *end;
    if (text == NULL || !((text[0] >= '0' && text[0] <= '9') || text[0] == '.')) {
        return false;
    }
    double number = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(end, units[i].name) == 0 && number * units[i].nanoseconds <= most) {
            *nanoseconds = (uint64_t)(number * units[i].nanoseconds + 0.5);
            return true;
        }
    }
    return false;
}
