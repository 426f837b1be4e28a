#include "record/selection/sample_rate.h"

#include <stdlib.h>
#include <strings.h>

double fm_sample_rate(const char *text)
{
    char *unit;
    if (strcasecmp(text, "off") == 0) {
        return 0;
    }
    if (text[0] < '0' || text[0] > '9') {
        return -1;
    }
    double rate = strtod(text, &unit);
    if (strcasecmp(unit, "khz") == 0) {
        rate *= 1000;
    } else if (unit[0] != '\0' && strcasecmp(unit, "hz") != 0) {
        return -1;
    }
    return rate >= FM_SAMPLE_RATE_LEAST && rate <= FM_SAMPLE_RATE_MOST ? rate : -1;
}
